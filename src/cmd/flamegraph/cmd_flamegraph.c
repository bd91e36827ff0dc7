/* strobe flamegraph: a recording as a flame graph (SVG), or as folded stacks. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/page.h"
#include "profile/arithmetic.h"
#include "session/flame_input.h"
#include "session/input.h"
#include "view/data/folded.h"
#include "view/svg/flamegraph.h"

#define DEFAULT_OUTPUT "flamegraph.svg"

struct flamegraph_command {
	struct flamegraph_options svg;
	struct flame_input_options in;
	const char *input, *base, *output, *event, *encoding, *name_attributes;
	const char *colours_file; /* NULL: colours are not kept */
	bool folded, all_marks, normalize;
	uint64_t width, frame_height;
	unsigned verbose;
};

/* ---- options ---- */

/* --pid names processes by their number, as stackcollapse-perf.pl has it; --pid=LIST chooses them, as `report` has it. */
static struct strobe_error *pid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->in.choice.pids = value;
	else
		o->svg.names.with_pid = !negated;
	return NULL;
}

static struct strobe_error *tid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->in.choice.tids = value;
	else
		o->svg.names.with_tid = !negated;
	return NULL;
}

/* flamegraph.pl knows no other file. */
static struct strobe_error *colours_file_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	o->colours_file = negated ? NULL : value ? value : "palette.map";
	return NULL;
}

static struct strobe_error *min_width_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	_cleanup_free_ char *number = value ? xstrdup(value) : NULL;
	o->svg.min_width_is_percent = number && text_has_suffix(number, "%");
	if (o->svg.min_width_is_percent)
		number[strlen(number) - 1] = 0;
	if (!number)
		o->svg.min_width = 0;
	else if (!text_to_f64(number, &o->svg.min_width) || !(o->svg.min_width >= 0))
		return error_create(ERROR_USAGE, "invalid width '%s': expected pixels or a percentage", value);
	return NULL;
}

#define AT(field) offsetof(struct flamegraph_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file",
	  .help = "input file: a recording, folded stacks, the output of `perf script`, or a pprof profile; - for standard input" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "output file, an HTML page if its name ends in .html; - for standard output, which is the default\n"
		  "unless it is a terminal; the default is then " DEFAULT_OUTPUT },
	{ OPTION_STRING, 'u', "url", AT(in.server.source), .arg = "url",
	  .help = "fetch the profile from this URL (default path: /debug/pprof/profile, of Go programs)" },
	{ OPTION_I64, 't', "seconds", AT(in.server.seconds), .arg = "n",
	  .help = "with -u: duration of the profile in seconds (default: 30)" },
	{ OPTION_BOOL, 'f', "force", AT(in.force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 0, "folded", AT(folded), .help = "print folded stacks: process;outermost;...;innermost value" },

	{ OPTION_STRING, 0, "diff-base", AT(base), .arg = "file",
	  .help = "compare with this file: widths are those of the input, red frames have grown, blue ones have shrunk" },
	{ OPTION_BOOL, 0, "normalize", AT(normalize), .help = "compare percentages: scale the base to the total of the input" },
	{ OPTION_BOOL, 0, "negate", AT(svg.negate), .help = "swap the colours of a comparison: blue frames have grown" },

	{ OPTION_GROUP, .help = "Samples" },
	{ OPTION_STRING, 'e', "event", AT(event), .arg = "event", .help = "only samples of this event (default: the first one "
		"with samples)" },
	{ OPTION_STRING, 0, "event-filter", AT(event), .arg = "event", .help = "the same", .hidden = true },
	{ OPTION_STRING, 'C', "cpu", AT(in.choice.cpus), .arg = "cpu", .help = "only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(in.choice.comms), .arg = "comm[,comm...]", .help = "only tasks with these names" },
	{ OPTION_CALL, 0, "pid", .arg = "pid[,pid...]", .optional_arg = true, .parse = pid_option,
	  .help = "only these processes; without a list: separate processes by PID" },
	{ OPTION_CALL, 0, "tid", .arg = "tid[,tid...]", .optional_arg = true, .parse = tid_option,
	  .help = "only these threads; without a list: separate threads by TID" },
	{ OPTION_STRING, 0, "time", AT(in.choice.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_U64, 0, "max-stack", AT(in.max_stack), .arg = "n", .help = "maximum number of frames of a stack (default: no limit)" },

	{ OPTION_GROUP, .help = "Names" },
	{ OPTION_BOOL, 0, "kernel", AT(svg.names.mark_kernel), .help = "mark kernel functions with _[k]" },
	{ OPTION_BOOL, 0, "jit", AT(svg.names.mark_jit), .help = "mark JIT-compiled functions with _[j]" },
	{ OPTION_BOOL, 0, "inline", AT(svg.names.mark_inlined),
	  .help = "mark inlined functions with _[i], including those from debug information" },
	{ OPTION_BOOL, 0, "all", AT(all_marks), .help = "--kernel and --jit" },
	{ OPTION_BOOL, 0, "addrs", AT(svg.names.with_addresses), .help = "show addresses of frames without a symbol" },
	{ OPTION_STRING, 0, "symfs", AT(in.symbol_files.symfs), .arg = "directory",
	  .help = "search for files with symbols below this directory" },
	{ OPTION_STRING, 'k', "vmlinux", AT(in.symbol_files.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(in.symbol_files.kallsyms), .arg = "file", .help = "kernel symbols" },
	{ OPTION_OFF, 0, "demangle", AT(in.symbol_files.no_demangle), .help = "demangle C++ and Rust names (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(in.symbol_files.demangle_kernel), .help = "demangle kernel symbols too" },

	{ OPTION_GROUP, .help = "Picture" },
	{ OPTION_STRING, 0, "title", AT(svg.title), .arg = "text", .help = "title" },
	{ OPTION_STRING, 0, "subtitle", AT(svg.subtitle), .arg = "text", .help = "subtitle (default: the event and its number "
		"of samples)" },
	{ OPTION_STRING, 0, "notes", AT(svg.notes), .arg = "text", .help = "notes, stored in the file but not shown" },
	{ OPTION_U64, 0, "width", AT(width), .arg = "pixels", .help = "width of the picture (default: 1200)" },
	{ OPTION_U64, 0, "height", AT(frame_height), .arg = "pixels", .help = "height of a frame (default: 16)" },
	{ OPTION_CALL, 0, "minwidth", .arg = "pixels|n%", .parse = min_width_option, .help = "omit frames narrower than this "
		"(default: 0.1)" },
	{ OPTION_STRING, 0, "fonttype", AT(svg.font_type), .arg = "font", .help = "font (default: monospace)" },
	{ OPTION_F64, 0, "fontsize", AT(svg.font_size), .arg = "pixels", .help = "font size (default: 12)" },
	{ OPTION_F64, 0, "fontwidth", AT(svg.font_width), .arg = "n", .help = "width of a character relative to the font size "
		"(default: 0.6)" },
	{ OPTION_STRING, 0, "encoding", AT(encoding), .arg = "name", .help = "only utf-8 is supported", .hidden = true },
	{ OPTION_STRING, 0, "nametype", AT(svg.name_type), .arg = "text", .help = "label of frame names (default: Function:)" },
	{ OPTION_STRING, 0, "nameattr", AT(name_attributes), .arg = "file",
	  .help = "attributes of frames by name: lines of name, tab, href=... or title=..., id, class, target, g_extra, a_extra" },
	{ OPTION_STRING, 0, "countname", AT(svg.count_name), .arg = "text",
	  .help = "show values instead of numbers of samples, with this unit" },
	{ OPTION_F64, 0, "factor", AT(svg.factor), .arg = "n", .help = "multiply values by this factor" },
	{ OPTION_U64, 0, "total", AT(svg.total), .arg = "n", .help = "value of the full width (default: the sum)" },
	{ OPTION_STRING, 0, "colors", AT(svg.colours), .arg = "palette",
	  .help = "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple or orange (hot)" },
	{ OPTION_STRING, 0, "bgcolors", AT(svg.background), .arg = "color",
	  .help = "background: yellow, blue, green, grey or #rrggbb (default: according to the palette)" },
	{ OPTION_BOOL, 0, "hash", AT(svg.hash_colours), .help = "choose colours by name: similar prefixes have similar colours" },
	{ OPTION_CALL, 0, "cp", .arg = "file", .optional_arg = true, .parse = colours_file_option,
	  .help = "use and extend a map of names to colours, for consistent pictures (default: palette.map)" },
	{ OPTION_BOOL, 0, "random", AT(svg.random_colours), .help = "choose a random colour for each frame" },
	{ OPTION_BOOL, 0, "reverse", AT(svg.reverse), .help = "reverse stacks: innermost functions at the root, callers above" },
	{ OPTION_BOOL, 0, "flamechart", AT(svg.in_time), .help = "order samples by time instead of merging them" },
	{ OPTION_BOOL, 0, "inverted", AT(svg.inverted), .help = "draw an icicle graph, growing downwards" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct flamegraph_command *o = options;
	o->svg = flamegraph_defaults();
	o->width = o->svg.width;
	o->frame_height = o->svg.frame_height;
	o->in.server.seconds = -1;
}

struct run {
	struct cmd_context *ctx;
	struct flamegraph_command *o;
	struct flame_input in, base;
	struct profile *merged; /* with a base: both of them */
	struct profile *profile; /* what is shown: of in, or merged */
	char *subtitle;
	struct name_attributes attributes;
	struct name_colours colours;
};

/* ---- the event ---- */

static const char *event_name(const struct run *r, size_t i)
{
	return profile_str(r->profile, r->profile->events.data[i].name);
}

static struct strobe_error *no_such_event(const struct run *r)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < r->profile->events.len; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", event_name(r, i));
	return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; its events: %s", r->o->event, strbuf_str(&names));
}

/* "cycles" also finds "cycles:u". */
static bool is_called(const char *event, const char *name, bool without_modifiers)
{
	size_t n = strlen(name);
	return !strncmp(event, name, n) && (!event[n] || (without_modifiers && event[n] == ':'));
}

static bool find_event(const struct run *r, bool with_samples, bool without_modifiers, uint32_t *ret)
{
	for (uint32_t i = 0; i < r->profile->events.len; i++) {
		if (with_samples && !r->profile->events.data[i].samples)
			continue;
		if (!r->o->event || is_called(event_name(r, i), r->o->event, without_modifiers)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static struct strobe_error *choose_event(const struct run *r, uint32_t *ret)
{
	const struct profile_origin *origin = &r->profile->origin;
	if (origin->events_are_values && !r->o->event && !r->merged && r->profile->events.len) {
		/* the values of one sample: the one that the file means to be shown, or the last */
		*ret = (uint32_t)r->profile->events.len - 1;
		for (uint32_t i = 0; i < r->profile->events.len; i++)
			if (origin->default_event && r->profile->events.data[i].name == origin->default_event)
				*ret = i;
		if (r->profile->events.data[*ret].samples || r->profile->events.data[*ret].value)
			return NULL;
	}
	if (find_event(r, true, false, ret) || find_event(r, true, true, ret))
		return NULL;
	if (r->o->event && !find_event(r, false, true, ret))
		return no_such_event(r);
	uint64_t filtered = r->in.session.resolver ? resolver_stats(r->in.session.resolver)->filtered_samples : 0;
	if (filtered)
		return error_create(ERROR_NOT_FOUND, "none of %" PRIu64 " samples match -C, --comms, --pid, --tid and --time", filtered);
	return error_create(ERROR_NOT_FOUND, "the recording has no samples%s%s", r->o->event ? " of " : "",
			    r->o->event ? r->o->event : "");
}

/* One event is one picture: of the others it is said that they are there. */
static void tell_other_events(const struct run *r, uint32_t shown)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < r->profile->events.len && !r->o->event && !r->o->svg.has_base; i++)
		if (i != shown && r->profile->events.data[i].samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", event_name(r, i));
	if (names.len)
		cmd_say(r->ctx, "showing samples of event '%s'; select another with -e: %s", event_name(r, shown), strbuf_str(&names));
}

/* ---- output ---- */

static bool counts_samples(const struct run *r, uint32_t event)
{
	/* The reference knows a period only where each sample carries one; else a sample counts 1. */
	const struct env *env = r->in.session.env;
	return env && event < env->events.len && !(env->events.data[event].attr.sample_type & PERF_SAMPLE_PERIOD);
}

static void add_subtitle(struct run *r, uint32_t event)
{
	struct flamegraph_options *svg = &r->o->svg;
	const struct profile_event *e = &r->profile->events.data[event];
	const char *unit = profile_str(r->profile, e->unit);
	if (r->in.is_folded)
		r->subtitle = NULL;
	else if (r->profile->origin.events_are_values)
		r->subtitle = xstrdup(event_name(r, event));
	else
		r->subtitle = xasprintf("%s, %" PRIu64 " sample%s", event_name(r, event), e->samples, e->samples == 1 ? "" : "s");
	if (!svg->subtitle)
		svg->subtitle = r->subtitle;
	else if (!*svg->subtitle)
		svg->subtitle = NULL;
	if (r->profile->origin.events_are_values && !svg->count_name && *unit && strcmp(unit, "count"))
		svg->count_name = unit;
}

static struct strobe_error *write_view(void *ctx, struct out *out)
{
	struct run *r = ctx;
	struct flamegraph_command *o = r->o;
	if (o->folded) {
		struct folded_options folded = {
			.names = o->svg.names,
			.event = o->svg.event,
			.count_samples = o->svg.count_samples,
		};
		if (r->in.is_folded) /* the marks that came in */
			folded.names.mark_kernel = folded.names.mark_jit = folded.names.mark_inlined = true;
		return view_folded(r->profile, &folded, out);
	}
	add_subtitle(r, o->svg.event);
	return view_flamegraph_svg(r->profile, &o->svg, out);
}

static struct strobe_error *write_colours(void *ctx, struct out *out)
{
	const struct run *r = ctx;
	name_colours_write(&r->colours, out);
	return NULL;
}

static struct strobe_error *write_stdout(struct run *r, int *ret_status)
{
	struct out out;
	cmd_open_output(r->ctx, &out);
	struct strobe_error *err = write_view(r, &out);
	*ret_status = cmd_close_output(r->ctx, &out);
	return err;
}

static struct strobe_error *write_output(struct run *r, int *ret_status)
{
	const char *path = r->o->output;
	if (!path && !r->o->folded && isatty(STDOUT_FILENO))
		path = DEFAULT_OUTPUT;
	bool is_stdout = !path || !strcmp(path, "-");
	TRY(is_stdout ? write_stdout(r, ret_status) : cmd_write_file(path, write_view, r));
	if (r->o->colours_file)
		TRY(cmd_write_file(r->o->colours_file, write_colours, r));
	if (!is_stdout && !r->o->output)
		cmd_say(r->ctx, "wrote %s; open it in a browser", path);
	return NULL;
}

/* ---- comparison ---- */

/* What folded stacks of two values call the first of them. */
#define BASE_EVENT "before"

static uint32_t event_called(const struct profile *p, const char *name)
{
	uint32_t i = 0;
	while (i < p->events.len && strcmp(profile_str(p, p->events.data[i].name), name))
		i++;
	return i;
}

/* Both profiles as one, and which of its events is the base's. */
static struct strobe_error *join_base(struct run *r)
{
	struct flamegraph_command *o = r->o;
	uint32_t shown, base;
	TRY(choose_event(r, &shown));
	r->profile = r->base.profile;
	struct strobe_error *err = choose_event(r, &base);
	r->profile = r->in.profile;
	if (err)
		return error_prefix(err, "%s", r->base.path);
	uint32_t *events = arena_new_array(&r->in.arena, uint32_t, r->base.profile->events.len);
	r->profile = r->merged = profile_join(r->in.profile, r->base.profile, HTML_BASE_PREFIX, events);
	o->svg.base_event = events[base];
	o->event = profile_str(r->in.profile, r->in.profile->events.data[shown].name);
	return NULL;
}

static struct strobe_error *read_base(struct run *r)
{
	struct flamegraph_command *o = r->o;
	struct flame_input_options options = o->in;
	if (!o->base)
		return NULL;
	options.single = true;
	options.server.source = NULL;
	TRY(flame_input_read(cmd_host(r->ctx), o->base, &options, &r->base));
	return join_base(r);
}

/* ---- pages ---- */

static bool is_page(const struct flamegraph_command *o)
{
	return o->output && (text_has_suffix(o->output, ".html") || text_has_suffix(o->output, ".htm"));
}

/* What a page has its own controls for, or does not have. */
static bool is_of_pictures(const struct flamegraph_options *o)
{
	const struct flamegraph_options d = flamegraph_defaults();
	const struct frame_names_options *n = &o->names;
	return n->mark_kernel || n->mark_inlined || n->mark_jit || n->with_addresses || n->with_pid || n->with_tid || o->subtitle ||
	       o->notes || o->width != d.width || o->frame_height != d.frame_height || o->min_width != d.min_width ||
	       o->min_width_is_percent || o->font_type != d.font_type || o->font_size != d.font_size ||
	       o->font_width != d.font_width || o->name_type != d.name_type || o->count_name || o->factor != d.factor ||
	       strcmp(o->colours, d.colours) || o->background || o->hash_colours || o->random_colours || o->reverse ||
	       o->inverted || o->in_time || o->negate || o->normalize || o->total;
}

struct page {
	struct html_options options;
	const struct profile *profile;
};

static struct strobe_error *write_html(void *ctx, struct out *out)
{
	const struct page *page = ctx;
	return view_html(page->profile, &page->options, out);
}

static struct strobe_error *write_page(struct run *r)
{
	struct flamegraph_command *o = r->o;
	struct page page = {
		.options = page_options(&r->in.arena, r->in.session.env, r->in.path),
		.profile = r->in.profile,
	};
	if (r->in.session.resolver)
		page.options.code = page_code(&r->in.arena, r->in.session.env, r->in.session.resolver);
	if (o->base) {
		struct flame_input_options options = o->in;
		options.single = true;
		options.server.source = NULL;
		TRY(flame_input_read(cmd_host(r->ctx), o->base, &options, &r->base));
		page.profile = r->merged = profile_join(r->in.profile, r->base.profile, HTML_BASE_PREFIX, NULL);
	}
	uint32_t event;
	TRY(choose_event(r, &event));
	page.options.event = o->event || r->merged ? event_name(r, event) : NULL; /* else the page chooses */
	if (o->svg.title)
		page.options.title = o->svg.title;
	return cmd_write_file(o->output, write_html, &page);
}

/* ---- the run ---- */

/* Status of what was shown; the error of the reading comes after it, for what was whole is shown all the same. */
static int show(struct run *r)
{
	struct flamegraph_command *o = r->o;
	int status = CMD_OK;
	if (is_page(o))
		return cmd_fail(r->ctx, write_page(r));
	struct strobe_error *err = read_base(r);
	if (!err)
		err = choose_event(r, &o->svg.event);
	if (!err && r->in.two_values)
		o->svg.base_event = event_called(r->profile, BASE_EVENT);
	o->svg.has_base = o->base || r->in.two_values;
	if (!err) {
		o->svg.count_samples = counts_samples(r, o->svg.event);
		tell_other_events(r, o->svg.event);
		err = write_output(r, &status);
	}
	int failed = cmd_fail(r->ctx, err);
	return status ? status : failed;
}

static int run_all(struct run *r)
{
	struct flamegraph_command *o = r->o;
	o->in.for_page = is_page(o);
	o->in.single = o->base || o->folded;
	o->in.inlines = o->svg.names.mark_inlined;
	struct strobe_error *err = flame_input_read(cmd_host(r->ctx), o->input, &o->in, &r->in);
	int status = CMD_OK;
	r->profile = r->in.profile;
	if (r->profile && (!err || r->profile->rows.len))
		status = show(r);
	if (r->profile && r->profile->log_dropped)
		cmd_say(r->ctx, "%" PRIu64 " samples after the first ones are not in the chart", r->profile->log_dropped);
	int failed = cmd_fail(r->ctx, err);
	if (r->in.session.resolver && status != CMD_BROKEN_PIPE)
		session_remarks(&r->in.session, false);
	return status ? status : failed;
}

static struct strobe_error *finish_options(struct flamegraph_command *o)
{
	if (o->in.server.source && o->input)
		return error_create(ERROR_USAGE, "specify either %s or -u, not both", o->input);
	if (o->in.server.seconds >= 0 && !o->in.server.source)
		return error_create(ERROR_USAGE, "-t requires -u");
	if (o->width > UINT32_MAX || o->frame_height > UINT32_MAX)
		return error_create(ERROR_USAGE, "the picture would be too large");
	o->svg.width = (uint32_t)o->width;
	o->svg.frame_height = (uint32_t)o->frame_height;
	o->svg.normalize = o->normalize;
	o->in.with_pid = o->svg.names.with_pid;
	o->in.with_tid = o->svg.names.with_tid;
	o->in.in_time = o->svg.in_time;
	if (o->all_marks)
		o->svg.names.mark_kernel = o->svg.names.mark_jit = true;
	struct flamegraph_options d = flamegraph_defaults();
	/* --no-NAME leaves NULL: the default again */
	o->svg.font_type = o->svg.font_type ? o->svg.font_type : d.font_type;
	o->svg.name_type = o->svg.name_type ? o->svg.name_type : d.name_type;
	o->svg.colours = o->svg.colours ? o->svg.colours : d.colours;
	if (is_page(o) && (o->folded || o->name_attributes || o->colours_file || is_of_pictures(&o->svg)))
		return error_create(ERROR_USAGE, "%s: HTML pages do not support the options of pictures, except --title",
				    o->output);
	return flamegraph_check(&o->svg);
}

/* flamegraph.pl takes its input as a word; a number is more likely a list that its option lacks. */
static struct strobe_error *take_word(const struct cmd_context *ctx, struct flamegraph_command *o)
{
	uint64_t number;
	if (!ctx->rest.argc)
		return NULL;
	const char *word = ctx->rest.argv[0];
	if (o->input || ctx->rest.argc > 1)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[o->input ? 0 : 1]);
	if (text_to_u64(word, &number))
		return error_create(ERROR_USAGE, "unexpected argument '%s'; write --pid=LIST or --tid=LIST for a list", word);
	o->input = word;
	return NULL;
}

static struct strobe_error *check_options(const struct flamegraph_command *o)
{
	if (o->encoding && strcasecmp(o->encoding, "utf-8") && strcasecmp(o->encoding, "utf8"))
		return error_create(ERROR_USAGE, "unsupported encoding '%s': pictures are written in UTF-8", o->encoding);
	if (o->colours_file && o->base)
		return error_create(ERROR_USAGE, "--cp cannot be combined with --diff-base");
	if (o->folded && (o->colours_file || o->name_attributes))
		return error_create(ERROR_USAGE, "--cp and --nameattr cannot be combined with --folded");
	if ((o->normalize || o->svg.negate) && o->folded)
		return error_create(ERROR_USAGE, "--normalize and --negate cannot be combined with --folded");
	if (o->base && o->folded)
		return error_create(ERROR_USAGE, "--diff-base cannot be combined with --folded");
	if (o->svg.in_time && o->folded)
		return error_create(ERROR_USAGE, "--flamechart cannot be combined with --folded");
	return NULL;
}

static struct strobe_error *read_attributes(const char *path, struct name_attributes *ret)
{
	struct lines lines;
	TRY(lines_read(path, &lines));
	struct strobe_error *err = error_prefix(name_attributes_read(&lines, ret), "%s", path);
	lines_deinit(&lines);
	return err;
}

/* A file that is not there is as one that is empty: it is written in the end. */
static struct strobe_error *read_colours(const char *path, struct name_colours *ret)
{
	struct lines lines;
	struct strobe_error *err = lines_read(path, &lines);
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_destroy(err);
		err = NULL;
	}
	if (!err)
		name_colours_read(&lines, ret);
	lines_deinit(&lines);
	return err;
}

static struct strobe_error *read_name_files(struct run *r)
{
	struct flamegraph_command *o = r->o;
	if (o->name_attributes)
		TRY(read_attributes(o->name_attributes, &r->attributes));
	if (o->colours_file)
		TRY(read_colours(o->colours_file, &r->colours));
	o->svg.attributes = o->name_attributes ? &r->attributes : NULL;
	o->svg.kept_colours = o->colours_file ? &r->colours : NULL;
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct run r = { .ctx = ctx, .o = options };
	struct strobe_error *err = take_word(ctx, r.o);
	if (!err)
		err = finish_options(r.o);
	if (!err)
		err = check_options(r.o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(r.o->verbose);
	err = read_name_files(&r);
	int status = err ? cmd_fail(ctx, err) : run_all(&r);
	profile_destroy(r.merged);
	flame_input_close(&r.base);
	flame_input_close(&r.in);
	name_attributes_deinit(&r.attributes);
	name_colours_deinit(&r.colours);
	free(r.subtitle);
	return status;
}

const struct cmd cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "Draw a flame graph (SVG) of perf.data (created by record), or print folded stacks",
	.usage = (const char *const[]){ "flamegraph [<options>] [<file>]", "flamegraph --folded [<options>] [<file>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct flamegraph_command),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
