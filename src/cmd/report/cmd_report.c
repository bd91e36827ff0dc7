/* strobe report: a recording as a table of its hottest functions. */
#include <string.h>

#include "base/text.h"
#include "cmd/shared_options.h"
#include "cmd/colours.h"
#include "cmd/report/run.h"
#include "cmd/unsupported.h"

static struct strobe_error *parse_chains(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (negated) {
		o->request.grouping.chains.mode = CALLTREE_NONE;
		return NULL;
	}
	return report_chains_parse(value ? value : "graph", &o->request.grouping, &o->request.selection.branch_history);
}

static struct strobe_error *invert(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	o->request.grouping.chains.callee_first = negated;
	o->request.grouping.chain_order_set = true;
	return NULL;
}

static struct strobe_error *parse_format(void *options, const char *value, bool negated)
{
	static const char *const names[] = { "text", "json", "csv" };
	struct report_options *o = options;
	for (unsigned i = 0; value && !negated && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i])) {
			o->print.format = (enum recorded_format)i;
			return NULL;
		}
	return error_create(ERROR_USAGE, "requires text, json or csv");
}

static struct strobe_error *parse_quantum(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (negated || !value || !text_to_duration_ns(value, &o->request.grouping.time_quantum_ns) || !o->request.grouping.time_quantum_ns)
		return error_create(ERROR_USAGE, "requires a time with a unit, such as 10ms");
	return NULL;
}

static struct strobe_error *parse_branch(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	o->request.selection.branch_stack = !negated;
	o->request.selection.no_branch_stack = negated;
	return NULL;
}

static struct strobe_error *parse_pretty(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (value && strcmp(value, "raw") && strcmp(value, "normal"))
		return error_create(ERROR_USAGE, "requires normal or raw");
	o->print.raw_reads = value && !strcmp(value, "raw");
	return NULL;
}

#define AT(field) offsetof(struct report_options, field)

static const struct option table[] = {
	{ OPTION_GROUP, .help = "Input" },
	{ OPTION_STRING, 'i', "input", AT(request.selection.input), .arg = "file", .help = "input file; - for standard input" },
	{ OPTION_BOOL, 'f', "force", AT(request.selection.force), .help = "skip the ownership check" },
	{ OPTION_GROUP, .help = "Rows and columns" },
	{ OPTION_STRING, 's', "sort", AT(request.grouping.sort), .arg = "key[,key2...]",
	  .help = report_sort_help },
	{ OPTION_BOOL, 0, "list-keys", AT(list_keys), .hidden = true },
	{ OPTION_STRING, 'F', "fields", AT(request.grouping.fields), .arg = "key[,keys...]",
	  .help = "show these columns, by the names of sort keys; prefix + to add to the default" },
	{ OPTION_BOOL, 0, "children", AT(request.grouping.children),
	  .help = "add the samples of callees to their callers, if call chains were recorded (on)" },
	{ OPTION_CALL, 'g', "call-graph", .arg = "print_type,threshold[,print_limit],order,sort_key,value",
	  .parse = parse_chains, .default_arg = "graph",
	  .help = "show call graphs: graph, flat, fractal, folded or none; minimum percentage; maximum number of entries per level;\n"
		  "caller or callee (order); function or address (merge frames by); branch (as --branch-history);\n"
		  "percent, period or count.\n"
		  "In any order; default: graph,0.5,caller,function,percent" },
	{ OPTION_CALL, 'G', "inverted", .parse = invert, .help = "show callers first in call graphs (-g caller)" },
	{ OPTION_BOOL, 0, "latency", AT(request.grouping.latency), .set_offset = AT(request.grouping.latency_set),
	  .help = "sort by elapsed time (latency), then by CPU time (requires record --latency)" },
	OPTIONS_OF(grouping_option_rows, AT(request.grouping)),
	{ OPTION_BOOL, 0, "show-cpu-utilization", AT(request.grouping.show_cpu_modes),
	  .help = "show percentages of kernel and user space" },
	{ OPTION_BOOL, 0, "showcpuutilization", AT(request.grouping.show_cpu_modes), .hidden = true, .help = "the same" },
	{ OPTION_BOOL, 0, "ci", AT(request.grouping.show_ci),
	  .help = "show 95 % confidence intervals of percentages" },
	{ OPTION_GROUP, .help = "Filters" },
	{ OPTION_STRING, 'c', "comms", AT(request.filter.comms), .arg = "comm[,comm...]", .help = "only tasks with these names" },
	{ OPTION_STRING, 'd', "dsos", AT(request.filter.dsos), .arg = "dso[,dso...]", .help = "only samples in these objects (DSOs)" },
	{ OPTION_STRING, 'S', "symbols", AT(request.filter.symbols), .arg = "symbol[,symbol...]",
	  .help = "only samples in these functions" },
	{ OPTION_STRING, 0, "symbol-filter", AT(request.filter.symbol_filter), .arg = "filter",
	  .help = "only functions whose names contain this" },
	{ OPTION_STRING, 'e', "event", AT(request.selection.event), .arg = "event",
	  .help = "only samples of this event; of a pprof profile: a sample type such as inuse_space" },
	{ OPTION_STRING, 'C', "cpu", AT(request.selection.cpus), .arg = "cpu", .help = "only samples on these CPUs: 0-3,7" },
	{ OPTION_STRING, 0, "pid", AT(request.filter.pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(request.filter.tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "time", AT(request.selection.times), .arg = "str",
	  .help = "only this time range: start,stop in seconds (either may be omitted); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_U64, 0, "socket-filter", AT(request.filter.socket), .arg = "n", .set_offset = AT(request.filter.socket_set),
	  .help = "only samples on this processor socket" },
	OPTIONS_OF(switch_option_rows, AT(request.selection)),
	{ OPTION_STRING, 0, "parallelism", AT(request.filter.parallelism), .arg = "list",
	  .help = "only samples with this number of running threads: 1,3-5 (requires record --latency)" },
	{ OPTION_STRING, 'p', "parent", AT(request.grouping.parent), .arg = "regex",
	  .help = "with --sort parent: group by the callers that match this" },
	{ OPTION_BOOL, 'x', "exclude-other", AT(request.filter.exclude_other),
	  .help = "show only entries with a caller that matches --parent" },
	{ OPTION_BOOL, 'U', "hide-unresolved", AT(request.selection.hide_unresolved), .help = "hide samples without a symbol" },
	{ OPTION_GROUP, .help = "Call chains, branches and memory accesses" },
	{ OPTION_BOOL, 0, "show-ref-call-graph", AT(request.display.ref_chains),
	  .help = "if only some events of a group have call chains, show them for all its events" },
	{ OPTION_U64, 0, "max-stack", AT(request.selection.max_stack), .arg = "n",
	  .help = "maximum number of frames of a stack (default: no limit)" },
	{ OPTION_CALL, 'b', "branch-stack", .parse = parse_branch, .help = "report branch records (default if recorded)" },
	{ OPTION_BOOL, 0, "mem-mode", AT(request.selection.mem_mode), .help = "report memory accesses" },
	{ OPTION_BOOL, 0, "branch-history", AT(request.selection.branch_history),
	  .help = "add recorded branches to call chains, and merge frames by address" },
	{ OPTION_BOOL, 0, "total-cycles", AT(print.total_cycles),
	  .help = "report basic blocks by cycles, from branch records" },
	{ OPTION_CALL, 0, "time-quantum", .arg = "time", .parse = parse_quantum, .help = "time quantum of the sort key time "
		"(default: 100ms)" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_BOOL, 0, "stdio", AT(stdio), .help = "print text, also on a terminal" },
	{ OPTION_BOOL, 0, "tui", AT(tui), .help = "use the full screen (default on a terminal)" },
	{ OPTION_CALL, 0, "stdio-color", AT(colour), .arg = "always|never|auto", .parse = colour_parse_when,
	  .help = "colour percentages (default: auto, on a terminal)" },
	{ OPTION_CALL, 0, "format", .arg = "text|json|csv", .parse = parse_format, .help = "output format" },
	{ OPTION_BOOL, 'T', "threads", AT(print.show_reads),
	  .help = "show the counts of each thread (requires record -s)" },
	{ OPTION_CALL, 0, "pretty", .arg = "normal|raw", .parse = parse_pretty,
	  .help = "show -T as a table (default), or one line per value" },
	{ OPTION_STRING, 0, "html", AT(html), .arg = "file",
	  .help = "write a self-contained HTML page: flame graph, tables, timeline, source" },
	{ OPTION_BOOL, 0, "web", AT(web), .help = "serve the HTML page to a browser on this machine, until interrupted" },
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "with --web: address to listen on (default: localhost, any free port)" },
	{ OPTION_STRING, 0, "diff-base", AT(diff_base), .arg = "file",
	  .help = "compare with this recording, with --html and --web also a profile (pages and full screen)" },
	{ OPTION_STRING, 0, "flamegraph", AT(flamegraph), .arg = "file",
	  .help = "write a flame graph (SVG) to this file" },
	{ OPTION_STRING, 't', "field-separator", AT(request.display.separator), .arg = "separator",
	  .help = "separator of columns, without padding; in names it is replaced by '.'" },
	{ OPTION_STRING, 'w', "column-widths", AT(request.display.widths), .arg = "width[,width...]",
	  .help = "column widths; 0: automatic" },
	{ OPTION_BOOL, 0, "ns", AT(request.grouping.nanoseconds), .help = "show times with nine decimal places" },
	{ OPTION_BOOL, 0, "full-source-path", AT(request.grouping.full_source_path), .help = "show full paths of source files" },
	{ OPTION_BOOL, 'q', "quiet", AT(request.display.quiet), .help = "show only rows" },
	{ OPTION_BOOL, 0, "skip-empty", AT(request.grouping.skip_empty), .help = "hide events without samples (on)" },
	{ OPTION_GROUP, .help = "Header and records" },
	{ OPTION_BOOL, 0, "header", AT(print.header), .help = "show the header of the recording" },
	{ OPTION_BOOL, 0, "header-only", AT(print.header_only), .help = "show only the header" },
	{ OPTION_BOOL, 'I', "show-info", AT(print.full_header), .help = "with --header: show all of it, including long lists" },
	{ OPTION_BOOL, 0, "stats", AT(print.stats), .help = "show the number of records of each type" },
	{ OPTION_BOOL, 0, "tasks", AT(print.tasks), .help = "show tasks, as a tree" },
	{ OPTION_BOOL, 0, "mmaps", AT(print.mmaps), .help = "show tasks and their mappings" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(print.raw), .help = "dump every record, in hexadecimal and decoded" },
	{ OPTION_BOOL, 0, "disable-order", AT(print.disable_order), .help = "with -D: in file order" },
	{ OPTION_GROUP, .help = "Symbols" },
	OPTIONS_OF(symbol_option_rows, AT(request.selection.symbol_files)),
	{ OPTION_OFF, 'm', "modules", AT(request.selection.symbol_files.no_modules), .help = "use symbols of kernel modules (on)" },
	{ OPTION_BOOL, 0, "stitch-lbr", AT(request.selection.stitch_calls),
	  .help = "join overlapping LBR call stacks of consecutive samples (record --call-graph lbr)" },
	{ OPTION_BOOL, 0, "inline", AT(request.selection.inlined),
	  .help = "show inlined functions in call graphs, from debug information (on)" },
	{ OPTION_OFF, 0, "interpreter", AT(request.selection.no_scripts),
	  .help = "show frames of scripts between those of their interpreter (on)" },
	{ OPTION_GROUP, .help = "Code and samples on the screen" },
	{ OPTION_U64, 0, "samples", AT(request.listed_samples), .arg = "n",
	  .help = "on the screen: number of individual samples to list, evenly spread (default: all)" },
	OPTIONS_OF(code_option_rows, AT(request.code)),
	NEEDLESS_OPTION("addr2line-style"),
	NEEDLESS_OPTION("unwind-style"),
	UNSUPPORTED_OPTION("itrace", unsupported_trace_decoder),
	{ OPTION_GROUP, .help = "General" },
	{ OPTION_COUNT, 'v', "verbose", AT(request.verbose), .help = "show addresses and paths; -vv is more verbose" },
	OPTIONS_END,
};

static void defaults(void *options)
{
	struct report_options *o = options;
	o->request = report_request_defaults();
}

/* Only one picture or page; an address requires a served page. */
static struct strobe_error *check_pages(const struct report_options *o)
{
	if ((o->html != NULL) + o->web + (o->flamegraph != NULL) > 1)
		return error_create(ERROR_USAGE, "--flamegraph, --html and --web cannot be combined");
	if (o->http && !o->web)
		return error_create(ERROR_USAGE, "--http requires --web");
	return NULL;
}

static int run(struct cmd_context *ctx, void *options)
{
	struct report_options *o = options;
	if (o->list_keys) {
		struct out out;
		cmd_open_output(ctx, &out);
		report_list_keys(&out);
		return cmd_close_output(ctx, &out);
	}
	cmd_set_verbosity(o->request.verbose > 1 ? o->request.verbose - 1 : 0);
	if (ctx->rest.argc > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "unexpected argument '%s'", ctx->rest.argv[1]));
	/* `report FILE` is the same as `report -i FILE`. */
	if (ctx->rest.argc)
		o->request.selection.input = ctx->rest.argv[0];
	if (o->request.display.separator && !strcmp(o->request.display.separator, "\\t"))
		o->request.display.separator = "\t";
	if (o->request.display.separator && !strcmp(o->request.display.separator, "."))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'.' cannot be the separator"));
	struct strobe_error *err = check_pages(o);
	return err ? cmd_fail_usage(ctx, err) : report_run(ctx, o);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "Read perf.data (created by record) and display the profile",
	.usage = (const char *const[]){ "report [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct report_options),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
