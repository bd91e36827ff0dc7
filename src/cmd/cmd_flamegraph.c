/* strobe flamegraph: a recording as a flame graph (SVG), or as folded stacks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/lists.h"
#include "cmd/input.h"
#include "view/data/folded.h"
#include "view/svg/flamegraph.h"

#define DEFAULT_OUTPUT "flamegraph.svg"

struct flamegraph_command {
	struct flamegraph_options svg;
	const char *input, *output, *event, *symfs, *vmlinux, *kallsyms;
	const char *cpus, *comms, *pids, *tids, *times;
	bool force, folded, all_marks, demangle, demangle_kernel;
	uint64_t max_stack, width, frame_height;
	unsigned verbose;
};

/* ---- options ---- */

/* --pid names processes by their number, as stackcollapse-perf.pl has it; --pid=LIST chooses them, as `report` has it. */
static struct strobe_error *pid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->pids = value;
	else
		o->svg.names.with_pid = !negated;
	return NULL;
}

static struct strobe_error *tid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->tids = value;
	else
		o->svg.names.with_tid = !negated;
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
		return error_create(ERROR_USAGE, "'%s' is neither pixels nor a percentage", value);
	return NULL;
}

#define AT(field) offsetof(struct flamegraph_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "read this recording; - is standard input" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "write to this file; - is standard output, which is also the default unless it is a terminal: a picture\n"
		  "then goes to " DEFAULT_OUTPUT },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read it though it belongs to another user" },
	{ OPTION_BOOL, 0, "folded", AT(folded), .help = "print folded stacks instead: process;outermost;...;innermost value" },

	{ OPTION_GROUP, .help = "which samples" },
	{ OPTION_STRING, 'e', "event", AT(event), .arg = "event", .help = "of this event (the first one that has samples)" },
	{ OPTION_STRING, 0, "event-filter", AT(event), .arg = "event", .help = "the same", .hidden = true },
	{ OPTION_STRING, 'C', "cpu", AT(cpus), .arg = "cpu", .help = "only samples taken on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(comms), .arg = "comm[,comm...]", .help = "only tasks of these names" },
	{ OPTION_CALL, 0, "pid", .arg = "pid[,pid...]", .optional_arg = true, .parse = pid_option,
	  .help = "only these processes; without a list: tell processes apart by their number" },
	{ OPTION_CALL, 0, "tid", .arg = "tid[,tid...]", .optional_arg = true, .parse = tid_option,
	  .help = "only these threads; without a list: tell threads apart by their numbers" },
	{ OPTION_STRING, 0, "time", AT(times), .arg = "str",
	  .help = "only this span: start,stop in seconds (either may be left out); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_U64, 0, "max-stack", AT(max_stack), .arg = "n", .help = "no more than this many frames of a stack (127)" },

	{ OPTION_GROUP, .help = "names" },
	{ OPTION_BOOL, 0, "kernel", AT(svg.names.mark_kernel), .help = "mark functions of the kernel with _[k]" },
	{ OPTION_BOOL, 0, "jit", AT(svg.names.mark_jit), .help = "mark functions that a JIT compiler made with _[j]" },
	{ OPTION_BOOL, 0, "inline", AT(svg.names.mark_inlined), .help = "mark inlined functions with _[i]" },
	{ OPTION_BOOL, 0, "all", AT(all_marks), .help = "--kernel and --jit" },
	{ OPTION_BOOL, 0, "addrs", AT(svg.names.with_addresses), .help = "show addresses where there is no symbol" },
	{ OPTION_STRING, 0, "symfs", AT(symfs), .arg = "directory", .help = "look for files with symbols below this directory" },
	{ OPTION_STRING, 'k', "vmlinux", AT(vmlinux), .arg = "file", .help = "the kernel's image" },
	{ OPTION_STRING, 0, "kallsyms", AT(kallsyms), .arg = "file", .help = "the kernel's symbols" },
	{ OPTION_BOOL, 0, "demangle", AT(demangle), .help = "show C++ and Rust names as written in the source (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(demangle_kernel), .help = "the same for the kernel" },

	{ OPTION_GROUP, .help = "the picture" },
	{ OPTION_STRING, 0, "title", AT(svg.title), .arg = "text", .help = "the line above it" },
	{ OPTION_STRING, 0, "subtitle", AT(svg.subtitle), .arg = "text", .help = "a second line (the event and its samples)" },
	{ OPTION_STRING, 0, "notes", AT(svg.notes), .arg = "text", .help = "kept in the file, not shown" },
	{ OPTION_U64, 0, "width", AT(width), .arg = "pixels", .help = "how wide it is (1200)" },
	{ OPTION_U64, 0, "height", AT(frame_height), .arg = "pixels", .help = "how high a frame is (16)" },
	{ OPTION_CALL, 0, "minwidth", .arg = "pixels|n%", .parse = min_width_option, .help = "leave out narrower frames (0.1)" },
	{ OPTION_STRING, 0, "fonttype", AT(svg.font_type), .arg = "font", .help = "the font (monospace)" },
	{ OPTION_F64, 0, "fontsize", AT(svg.font_size), .arg = "pixels", .help = "its size (12)" },
	{ OPTION_STRING, 0, "nametype", AT(svg.name_type), .arg = "text", .help = "what names are (Function:)" },
	{ OPTION_STRING, 0, "countname", AT(svg.count_name), .arg = "text",
	  .help = "show values and not numbers of samples, and call them this" },
	{ OPTION_F64, 0, "factor", AT(svg.factor), .arg = "n", .help = "multiply the values that are shown" },
	{ OPTION_U64, 0, "total", AT(svg.total), .arg = "n", .help = "the value that the whole width stands for (the sum)" },
	{ OPTION_STRING, 0, "colors", AT(svg.colours), .arg = "palette",
	  .help = "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple or orange (hot)" },
	{ OPTION_STRING, 0, "bgcolors", AT(svg.background), .arg = "color",
	  .help = "background: yellow, blue, green, grey or #rrggbb (what goes with the palette)" },
	{ OPTION_BOOL, 0, "hash", AT(svg.hash_colours), .help = "names that begin alike have similar colours" },
	{ OPTION_BOOL, 0, "random", AT(svg.random_colours), .help = "each frame has a colour of its own" },
	{ OPTION_BOOL, 0, "reverse", AT(svg.reverse), .help = "begin with the innermost functions, their callers above" },
	{ OPTION_BOOL, 0, "inverted", AT(svg.inverted), .help = "grow downwards: an icicle graph" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct flamegraph_command *o = options;
	o->svg = flamegraph_defaults();
	o->width = o->svg.width;
	o->frame_height = o->svg.frame_height;
	o->demangle = true;
}

/* ---- the profile ---- */

struct run {
	struct cmd_context *ctx;
	struct flamegraph_command *o;
	struct arena arena;
	struct record_source *source;
	struct resolver *resolver;
	struct profile *profile;
	char *subtitle;
};

static struct strobe_error *make_filter(struct run *r, struct resolve_filter *ret)
{
	const struct flamegraph_command *o = r->o;
	const struct env *env = source_env(r->source);
	struct list_numbers cpus, pids, tids;
	struct list_strings comms;
	struct list_spans spans;
	TRY(list_cpus_parse(&r->arena, o->cpus, &cpus));
	TRY(list_numbers_parse(&r->arena, "process", o->pids, &pids));
	TRY(list_numbers_parse(&r->arena, "thread", o->tids, &tids));
	TRY(list_strings_parse(&r->arena, o->comms, &comms));
	TRY(list_spans_parse(&r->arena, o->times, env->first_sample_ns, env->last_sample_ns, &spans));
	struct time_range *times = arena_new_array(&r->arena, struct time_range, spans.nr ? spans.nr : 1);
	for (uint32_t i = 0; i < spans.nr; i++)
		times[i] = (struct time_range){ spans.data[i].from_ns, spans.data[i].to_ns };
	*ret = (struct resolve_filter){
		.cpus = cpus.data, .cpus_nr = cpus.nr, .pids = pids.data, .pids_nr = pids.nr, .tids = tids.data,
		.tids_nr = tids.nr, .comms = comms.data, .comms_nr = comms.nr, .times = times, .times_nr = spans.nr,
	};
	return NULL;
}

/* On an error r->profile may still hold what was whole. */
static struct strobe_error *aggregate(struct run *r)
{
	static const char *const keys[] = { "comm", "pid", "tid" };
	const struct flamegraph_command *o = r->o;
	struct resolve_options options = {
		.label_keys = keys,
		.label_keys_nr = o->svg.names.with_tid ? 3 : o->svg.names.with_pid ? 2 : 1,
		.with_chains = true,
		.max_stack = o->max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->max_stack,
	};
	struct symbols_options symbols = {
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.use_modules = true,
		.no_demangle = !o->demangle,
		.demangle_kernel = o->demangle_kernel,
	};
	TRY(cmd_buildid_dir(r->ctx, &symbols.buildid_dir));
	TRY(make_filter(r, &options.filter));
	r->resolver = resolver_create(r->source, symbols, options);
	return resolve_aggregate(r->resolver, &r->profile);
}

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
	return error_create(ERROR_NOT_FOUND, "the recording has no event '%s'; it has %s", r->o->event, strbuf_str(&names));
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
	if (find_event(r, true, false, ret) || find_event(r, true, true, ret))
		return NULL;
	if (r->o->event && !find_event(r, false, true, ret))
		return no_such_event(r);
	uint64_t filtered = resolver_stats(r->resolver)->filtered_samples;
	if (filtered)
		return error_create(ERROR_NOT_FOUND, "none of %" PRIu64 " samples passes -C, --comms, --pid, --tid and --time", filtered);
	return error_create(ERROR_NOT_FOUND, "the recording has no samples%s%s", r->o->event ? " of " : "",
			    r->o->event ? r->o->event : "");
}

/* One event is one picture: of the others it is said that they are there. */
static void tell_other_events(const struct run *r, uint32_t shown)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (uint32_t i = 0; i < r->profile->events.len && !r->o->event; i++)
		if (i != shown && r->profile->events.data[i].samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", event_name(r, i));
	if (names.len)
		cmd_say(r->ctx, "these are samples of %s; choose with -e for those of %s", event_name(r, shown), strbuf_str(&names));
}

/* ---- output ---- */

static bool counts_samples(const struct run *r, uint32_t event)
{
	/* The reference knows a period only where each sample carries one; else a sample counts 1. */
	const struct env *env = source_env(r->source);
	return event < env->events.len && !(env->events.data[event].attr.sample_type & PERF_SAMPLE_PERIOD);
}

static void add_subtitle(struct run *r, uint32_t event)
{
	const struct profile_event *e = &r->profile->events.data[event];
	r->subtitle = xasprintf("%s, %" PRIu64 " sample%s", event_name(r, event), e->samples, e->samples == 1 ? "" : "s");
	if (!r->o->svg.subtitle)
		r->o->svg.subtitle = r->subtitle;
	else if (!*r->o->svg.subtitle)
		r->o->svg.subtitle = NULL;
}

static struct strobe_error *write_view(struct run *r, struct out *out)
{
	struct flamegraph_command *o = r->o;
	if (o->folded) {
		struct folded_options folded = {
			.names = o->svg.names,
			.event = o->svg.event,
			.count_samples = o->svg.count_samples,
		};
		return view_folded(r->profile, &folded, out);
	}
	add_subtitle(r, o->svg.event);
	return view_flamegraph_svg(r->profile, &o->svg, out);
}

static struct strobe_error *write_file(struct run *r, const char *path)
{
	struct out out;
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno(errno, "cannot write %s", path);
	out_init_fd(&out, fd);
	struct strobe_error *err = write_view(r, &out);
	struct strobe_error *closed = error_prefix(out_close(&out), "%s", path);
	if (!err)
		return closed;
	error_destroy(closed);
	return err;
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
	if (!path || !strcmp(path, "-"))
		return write_stdout(r, ret_status);
	TRY(write_file(r, path));
	if (!r->o->output)
		cmd_say(r->ctx, "the picture is in %s; a browser shows it", path);
	return NULL;
}

/* Status of what was shown; the error of the reading comes after it, for what was whole is shown all the same. */
static int show(struct run *r)
{
	struct flamegraph_command *o = r->o;
	int status = CMD_OK;
	struct strobe_error *err = choose_event(r, &o->svg.event);
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
	struct strobe_error *err = input_open(r->o->input, r->o->force, &r->source);
	if (!err)
		err = aggregate(r);
	int status = CMD_OK;
	if (r->profile && (!err || r->profile->rows.len))
		status = show(r);
	int failed = cmd_fail(r->ctx, err);
	if (r->resolver && status != CMD_BROKEN_PIPE)
		input_remarks(r->ctx, r->source, resolver_stats(r->resolver));
	return status ? status : failed;
}

static struct strobe_error *finish_options(struct flamegraph_command *o)
{
	if (o->width > UINT32_MAX || o->frame_height > UINT32_MAX)
		return error_create(ERROR_USAGE, "no picture is as large as that");
	o->svg.width = (uint32_t)o->width;
	o->svg.frame_height = (uint32_t)o->frame_height;
	if (o->all_marks)
		o->svg.names.mark_kernel = o->svg.names.mark_jit = true;
	struct flamegraph_options d = flamegraph_defaults();
	/* --no-NAME leaves NULL: the default again */
	o->svg.font_type = o->svg.font_type ? o->svg.font_type : d.font_type;
	o->svg.name_type = o->svg.name_type ? o->svg.name_type : d.name_type;
	o->svg.colours = o->svg.colours ? o->svg.colours : d.colours;
	return flamegraph_check(&o->svg);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct run r = { .ctx = ctx, .o = options };
	if (ctx->rest.argc) {
		uint64_t number;
		const char *hint = text_to_u64(ctx->rest.argv[0], &number) ? "; a list is given as --pid=LIST or --tid=LIST" : "";
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'%s' is no option%s", ctx->rest.argv[0], hint));
	}
	struct strobe_error *err = finish_options(r.o);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(r.o->verbose);
	arena_init(&r.arena);
	int status = run_all(&r);
	profile_destroy(r.profile);
	resolver_destroy(r.resolver);
	source_destroy(r.source);
	arena_deinit(&r.arena);
	free(r.subtitle);
	return status;
}

const struct cmd cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "Draw a flame graph (SVG) of perf.data (created by record), or print folded stacks",
	.usage = (const char *const[]){ "flamegraph [<options>]", "flamegraph --folded [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct flamegraph_command),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
