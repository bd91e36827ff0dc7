#include "cmd/flamegraph/options.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/shared_options.h"

/* --pid adds process IDs to names, as in stackcollapse-perf.pl; --pid=LIST selects processes, as in `report`. */
static struct strobe_error *pid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->draw.in.choice.pids = value;
	else
		o->draw.svg.names.with_pid = !negated;
	return NULL;
}

static struct strobe_error *tid_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	if (value)
		o->draw.in.choice.tids = value;
	else
		o->draw.svg.names.with_tid = !negated;
	return NULL;
}

/* flamegraph.pl has a fixed file. */
static struct strobe_error *colours_file_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	o->draw.colours_file = negated ? NULL : value ? value : "palette.map";
	return NULL;
}

static struct strobe_error *min_width_option(void *options, const char *value, bool negated)
{
	struct flamegraph_command *o = options;
	_cleanup_free_ char *number = value ? xstrdup(value) : NULL;
	o->draw.svg.min_width_is_percent = number && text_has_suffix(number, "%");
	if (o->draw.svg.min_width_is_percent)
		number[strlen(number) - 1] = 0;
	if (!number)
		o->draw.svg.min_width = 0;
	else if (!text_to_f64(number, &o->draw.svg.min_width) || !(o->draw.svg.min_width >= 0))
		return error_create(ERROR_USAGE, "invalid width '%s': expected pixels or a percentage", value);
	return NULL;
}

#define AT(field) offsetof(struct flamegraph_command, field)

const struct option flamegraph_option_table[] = {
	{ OPTION_STRING, 'i', "input", AT(draw.input), .arg = "file",
	  .help = "input file: a recording, folded stacks, the output of `perf script`, or a pprof profile; - for standard input" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file",
	  .help = "output file, an HTML page if its name ends in .html; - for standard output, which is the default\n"
		  "unless it is a terminal; the default is then " FLAMEGRAPH_DEFAULT_OUTPUT },
	{ OPTION_STRING, 'u', "url", AT(draw.in.server.source), .arg = "url",
	  .help = "fetch the profile from this URL (default path: /debug/pprof/profile, of Go programs)" },
	{ OPTION_I64, 't', "seconds", AT(draw.in.server.seconds), .arg = "n",
	  .help = "with -u: duration of the profile in seconds (default: 30)" },
	{ OPTION_STRING, 0, "binary", AT(draw.in.binary), .arg = "file",
	  .help = "program of a pprof profile without function names" },
	{ OPTION_BOOL, 'f', "force", AT(draw.in.force), .help = "skip the ownership check" },
	{ OPTION_STRING, 0, "format", AT(format), .arg = "svg|html|folded|json",
	  .help = "output format (default: svg, or html by the name of the output); json: folded stacks for programs" },
	{ OPTION_BOOL, 0, "folded", AT(draw.folded), .help = "print folded stacks: process;outermost;...;innermost value" },

	{ OPTION_STRING, 0, "diff-base", AT(draw.base), .arg = "file",
	  .help = "compare with this file: widths are those of the input, red frames have grown, blue ones have shrunk" },
	{ OPTION_BOOL, 0, "normalize", AT(normalize), .help = "compare percentages: scale the base to the total of the input" },
	{ OPTION_BOOL, 0, "negate", AT(draw.svg.negate), .help = "swap the colours of a comparison: blue frames have grown" },

	{ OPTION_GROUP, .help = "Samples" },
	{ OPTION_STRING, 'e', "event", AT(draw.event), .arg = "event", .help = "only samples of this event (default: the first one "
		"with samples)" },
	{ OPTION_STRING, 0, "event-filter", AT(draw.event), .arg = "event", .help = "the same", .hidden = true },
	{ OPTION_STRING, 'C', "cpu", AT(draw.in.choice.cpus), .arg = "cpu", .help = "only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(draw.in.choice.comms), .arg = "comm[,comm...]", .help = "only tasks with these names" },
	{ OPTION_CALL, 0, "pid", .arg = "pid[,pid...]", .optional_arg = true, .parse = pid_option,
	  .help = "only these processes; without a list: separate processes by PID" },
	{ OPTION_CALL, 0, "tid", .arg = "tid[,tid...]", .optional_arg = true, .parse = tid_option,
	  .help = "only these threads; without a list: separate threads by TID" },
	{ OPTION_STRING, 0, "time", AT(draw.in.choice.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_BOOL, 0, "waker", AT(draw.in.with_wakers),
	  .help = "show who ended waits, upside down on top of them (recordings of record --wall)" },
	{ OPTION_U64, 0, "max-stack", AT(draw.in.max_stack), .arg = "n",
	  .help = "maximum number of frames of a stack (default: no limit)" },

	{ OPTION_GROUP, .help = "Names" },
	{ OPTION_BOOL, 0, "kernel", AT(draw.svg.names.mark_kernel), .help = "mark kernel functions with _[k]" },
	{ OPTION_BOOL, 0, "jit", AT(draw.svg.names.mark_jit), .help = "mark JIT-compiled functions with _[j]" },
	{ OPTION_BOOL, 0, "inline", AT(draw.svg.names.mark_inlined),
	  .help = "mark inlined functions with _[i], including those from debug information" },
	{ OPTION_BOOL, 0, "all", AT(all_marks), .help = "same as --kernel --jit" },
	{ OPTION_BOOL, 0, "addrs", AT(draw.svg.names.with_addresses), .help = "show addresses of frames without a symbol" },
	OPTIONS_OF(symbol_option_rows, AT(draw.in.symbol_files)),
	{ OPTION_OFF, 0, "interpreter", AT(draw.in.no_scripts),
	  .help = "show frames of scripts between those of their interpreter (on)" },

	{ OPTION_GROUP, .help = "Picture" },
	{ OPTION_STRING, 0, "title", AT(draw.svg.title), .arg = "text", .help = "title" },
	{ OPTION_STRING, 0, "subtitle", AT(draw.svg.subtitle), .arg = "text", .help = "subtitle (default: the event and its number "
		"of samples)" },
	{ OPTION_STRING, 0, "notes", AT(draw.svg.notes), .arg = "text", .help = "notes, stored in the file but not shown" },
	{ OPTION_U64, 0, "width", AT(width), .arg = "pixels", .help = "width of the picture (default: 1200)" },
	{ OPTION_U64, 0, "height", AT(frame_height), .arg = "pixels", .help = "height of a frame (default: 16)" },
	{ OPTION_CALL, 0, "minwidth", .arg = "pixels|n%", .parse = min_width_option, .help = "omit frames narrower than this "
		"(default: 0.1)" },
	{ OPTION_STRING, 0, "fonttype", AT(draw.svg.font_type), .arg = "font", .help = "font (default: monospace)" },
	{ OPTION_F64, 0, "fontsize", AT(draw.svg.font_size), .arg = "pixels", .help = "font size (default: 12)" },
	{ OPTION_F64, 0, "fontwidth", AT(draw.svg.font_width), .arg = "n", .help = "width of a character relative to the font size "
		"(default: 0.6)" },
	{ OPTION_STRING, 0, "encoding", AT(encoding), .arg = "name", .help = "only utf-8 is supported", .hidden = true },
	{ OPTION_STRING, 0, "nametype", AT(draw.svg.name_type), .arg = "text", .help = "label of frame names (default: Function:)" },
	{ OPTION_STRING, 0, "nameattr", AT(draw.name_attributes), .arg = "file",
	  .help = "attributes of frames by name: lines of name, tab, href=... or title=..., id, class, target, g_extra, a_extra" },
	{ OPTION_STRING, 0, "countname", AT(draw.svg.count_name), .arg = "text",
	  .help = "show values instead of numbers of samples, with this unit" },
	{ OPTION_F64, 0, "factor", AT(draw.svg.factor), .arg = "n", .help = "multiply values by this factor" },
	{ OPTION_U64, 0, "total", AT(draw.svg.total), .arg = "n", .help = "value of the full width (default: the sum)" },
	{ OPTION_STRING, 0, "colors", AT(draw.svg.colours), .arg = "palette",
	  .help = "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple or orange (default: hot)" },
	{ OPTION_STRING, 0, "bgcolors", AT(draw.svg.background), .arg = "color",
	  .help = "background: yellow, blue, green, grey or #rrggbb (default: according to the palette)" },
	{ OPTION_BOOL, 0, "hash", AT(draw.svg.hash_colours), .help = "choose colours by name: similar prefixes have similar colours" },
	{ OPTION_CALL, 0, "cp", .arg = "file", .optional_arg = true, .parse = colours_file_option,
	  .help = "use and extend a map of names to colours, for consistent pictures (default: palette.map)" },
	{ OPTION_BOOL, 0, "random", AT(draw.svg.random_colours), .help = "choose a random colour for each frame" },
	{ OPTION_BOOL, 0, "reverse", AT(draw.svg.reverse), .help = "reverse stacks: innermost functions at the root, callers above" },
	{ OPTION_BOOL, 0, "flamechart", AT(draw.svg.in_time), .help = "order samples by time instead of merging them" },
	{ OPTION_BOOL, 0, "inverted", AT(draw.svg.inverted), .help = "draw an icicle graph, growing downwards" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

void flamegraph_option_defaults(void *options)
{
	struct flamegraph_command *o = options;
	o->draw.svg = flamegraph_defaults();
	o->width = o->draw.svg.width;
	o->frame_height = o->draw.svg.frame_height;
	o->draw.in.server.seconds = -1;
}

/* Without --format, the output is an HTML page by its name. */
static struct strobe_error *choose_format(struct flamegraph_command *o)
{
	static const char *const names[] = { "svg", "html", "folded", "json" };
	size_t i = 0;
	while (o->format && i < sizeof(names) / sizeof(*names) && strcmp(o->format, names[i]))
		i++;
	if (i == sizeof(names) / sizeof(*names))
		return error_create(ERROR_USAGE, "unknown format '%s': expected svg, html, folded or json", o->format);
	o->draw.is_page = o->format ? i == 1 : o->output && (text_has_suffix(o->output, ".html") || text_has_suffix(o->output, ".htm"));
	o->draw.is_json = i == 3;
	o->draw.folded |= i >= 2;
	return NULL;
}

static struct strobe_error *finish_options(struct flamegraph_command *o)
{
	if (o->draw.in.server.source && o->draw.input)
		return error_create(ERROR_USAGE, "specify either %s or -u, not both", o->draw.input);
	if (o->draw.in.server.seconds >= 0 && !o->draw.in.server.source)
		return error_create(ERROR_USAGE, "-t requires -u");
	if (o->width > UINT32_MAX || o->frame_height > UINT32_MAX)
		return error_create(ERROR_USAGE, "the picture would be too large");
	o->draw.svg.width = (uint32_t)o->width;
	o->draw.svg.frame_height = (uint32_t)o->frame_height;
	o->draw.svg.normalize = o->normalize;
	o->draw.in.with_pid = o->draw.svg.names.with_pid;
	o->draw.in.with_tid = o->draw.svg.names.with_tid;
	o->draw.in.in_time = o->draw.svg.in_time;
	if (o->all_marks)
		o->draw.svg.names.mark_kernel = o->draw.svg.names.mark_jit = true;
	struct flamegraph_options d = flamegraph_defaults();
	/* --no-NAME leaves NULL: the default again */
	o->draw.svg.font_type = o->draw.svg.font_type ? o->draw.svg.font_type : d.font_type;
	o->draw.svg.name_type = o->draw.svg.name_type ? o->draw.svg.name_type : d.name_type;
	o->draw.svg.colours = o->draw.svg.colours ? o->draw.svg.colours : d.colours;
	TRY(choose_format(o));
	if (o->draw.is_page && flame_output_has_picture_options(&o->draw))
		return error_create(ERROR_USAGE, "%s: HTML pages do not support the options of pictures, except --title",
				    o->output ? o->output : "--format html");
	return flamegraph_check(&o->draw.svg);
}

/* flamegraph.pl takes its input as an argument; a number is more likely a list for the option before it. */
static struct strobe_error *take_word(const struct cmd_context *ctx, struct flamegraph_command *o)
{
	uint64_t number;
	if (!ctx->rest.argc)
		return NULL;
	const char *word = ctx->rest.argv[0];
	if (o->draw.input || ctx->rest.argc > 1)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[o->draw.input ? 0 : 1]);
	if (text_to_u64(word, &number))
		return error_create(ERROR_USAGE, "unexpected argument '%s'; write --pid=LIST or --tid=LIST for a list", word);
	o->draw.input = word;
	return NULL;
}

static struct strobe_error *check_options(const struct flamegraph_command *o)
{
	if (o->encoding && strcasecmp(o->encoding, "utf-8") && strcasecmp(o->encoding, "utf8"))
		return error_create(ERROR_USAGE, "unsupported encoding '%s': pictures are written in UTF-8", o->encoding);
	return flame_output_check(&o->draw);
}

struct strobe_error *flamegraph_options_finish(const struct cmd_context *ctx, struct flamegraph_command *o)
{
	TRY(take_word(ctx, o));
	TRY(finish_options(o));
	return check_options(o);
}
