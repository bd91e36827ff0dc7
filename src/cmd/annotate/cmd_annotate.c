/* strobe annotate: the instructions and source lines of functions, with the cost of each. */
#include <string.h>

#include "cmd/annotate/options.h"
#include "cmd/shared_options.h"
#include "cmd/colours.h"
#include "cmd/unsupported.h"

static struct strobe_error *parse_format(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	if (negated || !value || (strcmp(value, "text") && strcmp(value, "json")))
		return error_create(ERROR_USAGE, "requires text or json");
	if (!strcmp(value, "json"))
		o->format = RECORDED_CODE_JSON;
	else if (o->format == RECORDED_CODE_JSON)
		o->format = RECORDED_CODE_TEXT;
	return NULL;
}

static struct strobe_error *choose_stdio(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	(void)value;
	o->format = negated ? o->format : RECORDED_CODE_TEXT;
	o->as_text = !negated;
	return NULL;
}

static struct strobe_error *choose_stdio2(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	(void)value;
	o->format = negated ? RECORDED_CODE_TEXT : RECORDED_CODE_COMPACT;
	o->as_text = !negated;
	return NULL;
}

static struct strobe_error *show_types(void *options, const char *value, bool negated)
{
	struct annotate_command *o = options;
	o->types.shown = !negated;
	o->types.name = value;
	return NULL;
}

#define AT(field) offsetof(struct annotate_command, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(request.selection.input), .arg = "file", .help = "input file; - for standard input" },
	{ OPTION_BOOL, 'f', "force", AT(request.selection.force), .help = "skip the ownership check" },
	{ OPTION_STRING, 's', "symbol", AT(symbol), .arg = "symbol", .help = "annotate only this function" },
	{ OPTION_STRING, 'd', "dsos", AT(request.filter.dsos), .arg = "dso[,dso...]",
	  .help = "annotate only functions in these objects (DSOs)" },
	{ OPTION_STRING, 'e', "event", AT(request.code.event), .arg = "event[,event...]", .help = "only these events" },
	{ OPTION_BOOL, 0, "group", AT(request.grouping.group), .set_offset = AT(request.grouping.group_set),
	  .help = "show the events of a group side by side (on); if specified, and no groups were recorded, all events" },
	{ OPTION_STRING, 'C', "cpu", AT(request.selection.cpus), .arg = "cpu", .help = "only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 'c', "comms", AT(request.filter.comms), .arg = "comm[,comm...]", .help = "only tasks with these names" },
	{ OPTION_STRING, 0, "pid", AT(request.filter.pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(request.filter.tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "time", AT(request.selection.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_F64, 0, "percent-limit", AT(request.grouping.percent_limit), .arg = "percent",
	  .help = "hide functions below this percentage (of all samples, or of those in the objects of -d)" },
	{ OPTION_BOOL, 0, "skip-missing", AT(skip_missing), .help = "do not report functions whose code is not available" },
	{ OPTION_CALL, 0, "stdio", .parse = choose_stdio,
	  .help = "print text, each instruction with its address (default if not on a terminal)" },
	{ OPTION_BOOL, 0, "tui", AT(tui), .help = "use the full screen (default on a terminal)" },
	{ OPTION_CALL, 0, "stdio2", .parse = choose_stdio2, .help = "print text, with arrows for jumps and addresses for jump "
		"targets only" },
	{ OPTION_CALL, 0, "format", .arg = "text|json", .parse = parse_format, .help = "output format" },
	{ OPTION_CALL, 0, "stdio-color", AT(colour), .arg = "always|never|auto", .parse = colour_parse_when, .optional_arg = true,
	  .help = "colour percentages and code (default: auto, on a terminal)" },
	{ OPTION_BOOL, 'l', "print-line", AT(request.code.look.line_numbers),
	  .help = "print a summary of source lines first, and the source line of instructions with samples" },
	{ OPTION_BOOL, 'P', "full-paths", AT(request.code.look.full_paths), .help = "show full paths" },
	OPTIONS_OF(code_option_rows, AT(request.code)),
	{ OPTION_BOOL, 'n', "show-nr-samples", AT(show_samples), .help = "show numbers of samples instead of percentages" },
	{ OPTION_BOOL, 0, "show-total-period", AT(show_period), .help = "show sums of periods instead of percentages" },
	OPTIONS_OF(symbol_option_rows, AT(request.selection.symbol_files)),
	{ OPTION_OFF, 'm', "modules", AT(request.selection.symbol_files.no_modules), .help = "use symbols of kernel modules (on)" },
	NEEDLESS_SWITCH("skip-empty"),
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(raw), .help = "dump every record instead, in hexadecimal and decoded" },
	{ OPTION_BOOL, 'q', "quiet", AT(request.display.quiet), .help = "do not print messages" },
	{ OPTION_COUNT, 'v', "verbose", AT(request.verbose), .help = "show the number of samples of each address; -vv is more verbose" },
	{ OPTION_CALL, 0, "data-type", .arg = "type", .parse = show_types, .optional_arg = true,
	  .help = "show the types of data that instructions access, or this one, with the cost of each member" },
	{ OPTION_BOOL, 0, "type-stat", AT(types.reasons),
	  .help = "show why the types of other instructions' data are not known, and --data-type" },
	{ OPTION_BOOL, 0, "insn-stat", AT(types.mnemonics), .help = "show for which instructions they are known, and --data-type" },
	{ OPTION_BOOL, 0, "code-with-type", AT(with_types), .help = "show the type and member of its data beside each instruction" },
	UNSUPPORTED_OPTION("itrace", unsupported_trace_decoder),
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct annotate_command *o = options;
	/* On a screen rows are functions, without their callers. */
	o->request.grouping = (struct report_grouping){
		.sort = "symbol,dso", .group = true, .skip_empty = true, .percent_limit_set = true,
	};
}

static struct strobe_error *check(const struct cmd_context *ctx, struct annotate_command *o)
{
	if (ctx->rest.argc > 1)
		return error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[1]);
	if (ctx->rest.argc && o->symbol)
		return error_create(ERROR_USAGE, "specify one function: either '%s' or -s %s", ctx->rest.argv[0], o->symbol);
	if (ctx->rest.argc)
		o->symbol = ctx->rest.argv[0];
	o->types.shown |= o->types.reasons || o->types.mnemonics;
	if (o->show_samples && o->show_period)
		return error_create(ERROR_USAGE, "option `show-total-period' cannot be used with show-nr-samples");
	if (o->request.code.listing.source_strip && !o->request.code.listing.source_prefix)
		return error_create(ERROR_USAGE, "--prefix-strip requires --prefix to be defined.");
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct annotate_command *o = options;
	struct strobe_error *err = check(ctx, o);
	if (err)
		return cmd_fail_usage(ctx, err);
	int status;
	if (annotate_on_screen(ctx, o, &status))
		return status;
	cmd_set_verbosity(o->request.verbose > 1 ? o->request.verbose - 1 : 0);
	return annotate_run(ctx, o);
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "Read perf.data (created by record) and display annotated code",
	.usage = (const char *const[]){ "annotate [<options>] [<symbol>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct annotate_command),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
