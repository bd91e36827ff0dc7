/* strobe report: a recording as a table of where its time went. */
#include <string.h>

#include "base/text.h"
#include "cmd/code_options.h"
#include "cmd/refused.h"
#include "cmd/report/run.h"

static struct strobe_error *parse_chains(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (negated) {
		o->grouping.chains.mode = CALLTREE_NONE;
		return NULL;
	}
	return report_parse_chains(o, value ? value : "graph");
}

static struct strobe_error *invert(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	o->grouping.chains.callee_first = negated;
	o->grouping.chain_order_set = true;
	return NULL;
}

static struct strobe_error *parse_percentage(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (negated || !value)
		return error_create(ERROR_USAGE, "needs relative or absolute");
	if (strcmp(value, "relative") && strcmp(value, "absolute"))
		return error_create(ERROR_USAGE, "Invalid percentage: %s (relative or absolute)", value);
	o->grouping.relative = !strcmp(value, "relative");
	return NULL;
}

static struct strobe_error *parse_format(void *options, const char *value, bool negated)
{
	static const char *const names[] = { "text", "json", "csv" };
	struct report_options *o = options;
	for (unsigned i = 0; value && !negated && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i])) {
			o->format = (enum report_format)i;
			return NULL;
		}
	return error_create(ERROR_USAGE, "is text, json or csv");
}

static struct strobe_error *parse_quantum(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (negated || !value || !text_to_duration_ns(value, &o->grouping.time_quantum_ns) || !o->grouping.time_quantum_ns)
		return error_create(ERROR_USAGE, "needs a time with its unit, such as 10ms");
	return NULL;
}

static struct strobe_error *parse_colour(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (!negated && value && !strcmp(value, "always"))
		o->colour = COLOUR_ALWAYS;
	else if (negated || (value && !strcmp(value, "never")))
		o->colour = COLOUR_NEVER;
	else if (value && !strcmp(value, "auto"))
		o->colour = COLOUR_AUTO;
	else
		return error_create(ERROR_USAGE, "requires always, never or auto");
	return NULL;
}

static struct strobe_error *parse_branch(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	o->selection.branch_stack = !negated;
	o->selection.no_branch_stack = negated;
	return NULL;
}

static struct strobe_error *parse_syntax(void *options, const char *value, bool negated)
{
	return code_parse_syntax(value, negated, &((struct report_options *)options)->code.listing.syntax);
}

static struct strobe_error *parse_share(void *options, const char *value, bool negated)
{
	return code_parse_share(value, negated, &((struct report_options *)options)->code.look.share);
}

static struct strobe_error *parse_pretty(void *options, const char *value, bool negated)
{
	struct report_options *o = options;
	if (value && strcmp(value, "raw") && strcmp(value, "normal"))
		return error_create(ERROR_USAGE, "is normal or raw");
	o->raw_reads = value && !strcmp(value, "raw");
	return NULL;
}

#define AT(field) offsetof(struct report_options, field)

static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(selection.input), .arg = "file", .help = "read this recording; - is standard input" },
	{ OPTION_BOOL, 'f', "force", AT(selection.force), .help = "read it though it belongs to another user" },
	{ OPTION_STRING, 's', "sort", AT(grouping.sort), .arg = "key[,key2...]",
	  .help = report_sort_help },
	{ OPTION_BOOL, 0, "list-keys", AT(list_keys), .hidden = true },
	{ OPTION_STRING, 'F', "fields", AT(grouping.fields), .arg = "key[,keys...]",
	  .help = "show these columns, named as the sort keys; + before them adds to the default" },
	{ OPTION_BOOL, 0, "children", AT(grouping.children),
	  .help = "count a function's callees for it as well, where stacks were recorded (on)" },
	{ OPTION_CALL, 'g', "call-graph", .arg = "print_type,threshold[,print_limit],order,sort_key,value",
	  .parse = parse_chains, .default_arg = "graph",
	  .help = "show call graphs: graph, flat, fractal, folded or none; least share in percent; most entries on a level;\n"
		  "caller or callee (which comes first); function or address (what is told apart); branch (as --branch-history);\n"
		  "percent, period or count.\n"
		  "In any order; default: graph,0.5,caller,function,percent" },
	{ OPTION_CALL, 'G', "inverted", .parse = invert, .help = "callers first in call graphs" },
	{ OPTION_BOOL, 0, "latency", AT(grouping.latency), .set_offset = AT(grouping.latency_set),
	  .help = "sort by shares of the elapsed time, then of processor time (record --latency)" },
	{ OPTION_BOOL, 'n', "show-nr-samples", AT(grouping.show_samples), .help = "show the number of samples" },
	{ OPTION_BOOL, 0, "show-total-period", AT(grouping.show_period), .help = "show the sum of periods" },
	{ OPTION_BOOL, 0, "show-cpu-utilization", AT(grouping.show_cpu_modes), .help = "show shares of kernel and user space" },
	{ OPTION_BOOL, 0, "showcpuutilization", AT(grouping.show_cpu_modes), .hidden = true, .help = "the same" },
	{ OPTION_BOOL, 0, "ci", AT(grouping.show_ci),
	  .help = "show the interval that holds the true share in 95 of 100 recordings" },
	{ OPTION_F64, 0, "percent-limit", AT(grouping.percent_limit), .arg = "percent",
	  .set_offset = AT(grouping.percent_limit_set),
	  .help = "leave out entries with a smaller share" },
	{ OPTION_CALL, 0, "percentage", .arg = "relative|absolute", .parse = parse_percentage,
	  .help = "shares of what filters leave, or of all (absolute)" },
	{ OPTION_BOOL, 'H', "hierarchy", AT(grouping.hierarchy), .help = "show the sort keys as levels of a tree" },
	{ OPTION_BOOL, 0, "group", AT(grouping.group), .set_offset = AT(grouping.group_set),
	  .help = "show the events of a group side by side" },
	{ OPTION_U64, 0, "group-sort-idx", AT(grouping.group_sort_index), .arg = "n",
	  .help = "sort a group by its event number n, the first is 0" },
	{ OPTION_STRING, 'c', "comms", AT(filter.comms), .arg = "comm[,comm...]", .help = "only tasks of these names" },
	{ OPTION_STRING, 'd', "dsos", AT(filter.dsos), .arg = "dso[,dso...]", .help = "only samples in these objects" },
	{ OPTION_STRING, 'S', "symbols", AT(filter.symbols), .arg = "symbol[,symbol...]",
	  .help = "only samples in these functions" },
	{ OPTION_STRING, 0, "symbol-filter", AT(filter.symbol_filter), .arg = "filter",
	  .help = "show only functions whose names contain this" },
	{ OPTION_STRING, 'C', "cpu", AT(selection.cpus), .arg = "cpu", .help = "only samples taken on these CPUs: 0-3,7" },
	{ OPTION_STRING, 0, "pid", AT(filter.pids), .arg = "pid[,pid...]", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(filter.tids), .arg = "tid[,tid...]", .help = "only these threads" },
	{ OPTION_STRING, 0, "time", AT(selection.times), .arg = "str",
	  .help = "only this span: start,stop in seconds (either may be left out); or 10%/2, 0%-10%,30%-40%" },
	{ OPTION_U64, 0, "socket-filter", AT(filter.socket), .arg = "n", .set_offset = AT(filter.socket_set),
	  .help = "only samples of this processor socket" },
	{ OPTION_STRING, 0, "switch-on", AT(selection.switch_on), .arg = "event", .help = "count samples from this event on" },
	{ OPTION_STRING, 0, "switch-off", AT(selection.switch_off), .arg = "event", .help = "stop counting at this event" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(selection.show_switches),
	  .help = "count the samples of these two events as well" },
	{ OPTION_STRING, 0, "parallelism", AT(filter.parallelism), .arg = "list",
	  .help = "only samples taken while so many threads ran at once: 1,3-5 (record --latency)" },
	{ OPTION_STRING, 'p', "parent", AT(grouping.parent), .arg = "regex", .help = "callers that --sort parent groups by" },
	{ OPTION_BOOL, 'x', "exclude-other", AT(filter.exclude_other), .help = "show only entries with such a caller" },
	{ OPTION_STRING, 0, "ignore-callees", AT(grouping.ignore_callees), .arg = "regex",
	  .help = "count what these functions call for themselves" },
	{ OPTION_BOOL, 'U', "hide-unresolved", AT(selection.hide_unresolved), .help = "leave out samples without a symbol" },
	{ OPTION_BOOL, 0, "show-ref-call-graph", AT(display.ref_chains),
	  .help = "in a group only some of whose events have stacks: show them with all events" },
	{ OPTION_U64, 0, "max-stack", AT(selection.max_stack), .arg = "n",
	  .help = "maximum number of frames of a stack (default: no limit)" },
	{ OPTION_CALL, 'b', "branch-stack", .parse = parse_branch, .help = "count branch records (where there are any)" },
	{ OPTION_BOOL, 0, "mem-mode", AT(selection.mem_mode), .help = "profile of memory accesses" },
	{ OPTION_BOOL, 0, "branch-history", AT(selection.branch_history),
	  .help = "put the branches before each sample in front of its call stack, frames told apart by address" },
	{ OPTION_BOOL, 0, "total-cycles", AT(total_cycles),
	  .help = "show blocks of code by the cycles that branch records count for them" },
	{ OPTION_BOOL, 0, "raw-trace", AT(grouping.raw_trace), .help = "show the fields of tracepoints and not their text" },
	{ OPTION_CALL, 0, "time-quantum", .arg = "time", .parse = parse_quantum, .help = "spans of the sort key time (100ms)" },
	{ OPTION_BOOL, 0, "stdio", AT(stdio), .help = "as text, also on a terminal" },
	{ OPTION_BOOL, 0, "tui", AT(tui), .help = "on a screen: the default on a terminal" },
	{ OPTION_CALL, 0, "stdio-color", .arg = "always|never|auto", .parse = parse_colour,
	  .help = "colour shares (auto: on a terminal)" },
	{ OPTION_CALL, 0, "format", .arg = "text|json|csv", .parse = parse_format, .help = "for people or for programs" },
	{ OPTION_BOOL, 'T', "threads", AT(show_threads),
	  .help = "show how far the counters of each thread had come when it ended (record -s)" },
	{ OPTION_CALL, 0, "pretty", .arg = "normal|raw", .parse = parse_pretty,
	  .help = "the table of -T, or a line for each value" },
	{ OPTION_STRING, 0, "html", AT(html), .arg = "file",
	  .help = "make a page of it that a browser shows without a network: flame graph, tables, timeline, source" },
	{ OPTION_BOOL, 0, "web", AT(web), .help = "serve that page to a browser on this machine, until it is interrupted" },
	{ OPTION_STRING, 0, "http", AT(http), .arg = "[host]:[port]",
	  .help = "with --web: serve it there (localhost, a free port)" },
	{ OPTION_STRING, 0, "diff-base", AT(diff_base), .arg = "file",
	  .help = "with --html and --web: compare with this recording or profile; on a screen with this recording" },
	{ OPTION_STRING, 0, "flamegraph", AT(flamegraph), .arg = "file",
	  .help = "draw a flame graph into this file (SVG) instead" },
	{ OPTION_STRING, 't', "field-separator", AT(display.separator), .arg = "separator",
	  .help = "put this between columns, without blanks; in names it becomes '.'" },
	{ OPTION_STRING, 'w', "column-widths", AT(display.widths), .arg = "width[,width...]",
	  .help = "use these widths; 0 is as wide as needed" },
	{ OPTION_BOOL, 0, "ns", AT(grouping.nanoseconds), .help = "show times with nine decimal places" },
	{ OPTION_BOOL, 0, "full-source-path", AT(grouping.full_source_path), .help = "show source files with their directories" },
	{ OPTION_BOOL, 'q', "quiet", AT(display.quiet), .help = "show rows and nothing else" },
	{ OPTION_BOOL, 0, "skip-empty", AT(grouping.skip_empty), .help = "leave out events without samples (on)" },
	{ OPTION_BOOL, 0, "header", AT(header), .help = "show the recording's header first" },
	{ OPTION_BOOL, 0, "header-only", AT(header_only), .help = "show the header and nothing else" },
	{ OPTION_BOOL, 'I', "show-info", AT(full_header), .help = "with --header: show also what is long" },
	{ OPTION_BOOL, 0, "stats", AT(stats), .help = "show how many records there are of each kind" },
	{ OPTION_BOOL, 0, "tasks", AT(tasks), .help = "show the tasks that were seen" },
	{ OPTION_BOOL, 0, "mmaps", AT(mmaps), .help = "show the tasks and what they had mapped" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(raw), .help = "show every record in hexadecimal, and its parts" },
	{ OPTION_BOOL, 0, "disable-order", AT(disable_order), .help = "with -D: in the order of the file and not of time" },
	{ OPTION_STRING, 0, "symfs", AT(selection.symbol_files.symfs), .arg = "directory",
	  .help = "look for files with symbols below this directory" },
	{ OPTION_STRING, 'k', "vmlinux", AT(selection.symbol_files.vmlinux), .arg = "file", .help = "the kernel's image" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(selection.symbol_files.ignore_vmlinux),
	  .help = "do not look for the kernel's image" },
	{ OPTION_STRING, 0, "kallsyms", AT(selection.symbol_files.kallsyms), .arg = "file", .help = "the kernel's symbols" },
	{ OPTION_OFF, 'm', "modules", AT(selection.symbol_files.no_modules), .help = "use symbols of kernel modules (on)" },
	{ OPTION_BOOL, 0, "stitch-lbr", AT(selection.stitch_calls),
	  .help = "let call stacks of record --call-graph lbr go on in those of samples before, where they overlap" },
	{ OPTION_BOOL, 0, "inline", AT(selection.inlined),
	  .help = "show inlined functions in call graphs, from debug information (on)" },
	{ OPTION_OFF, 0, "demangle", AT(selection.symbol_files.no_demangle),
	  .help = "show C++ and Rust names as written in the source (on)" },
	{ OPTION_BOOL, 0, "demangle-kernel", AT(selection.symbol_files.demangle_kernel), .help = "the same for the kernel" },
	{ OPTION_U64, 0, "samples", AT(listed_samples), .arg = "n",
	  .help = "individual samples of an entry on the screen: n of them, evenly spread (all)" },
	{ OPTION_OFF, 0, "source", AT(code.look.no_source),
	  .help = "code on the screen has source lines between instructions (on)" },
	{ OPTION_BOOL, 0, "asm-raw", AT(code.look.raw), .help = "code on the screen has the bytes of instructions" },
	{ OPTION_CALL, 'M', "disassembler-style", .arg = "att|intel", .parse = parse_syntax,
	  .help = "how x86 instructions are written" },
	{ OPTION_CALL, 0, "percent-type", .arg = "local-period", .parse = parse_share,
	  .help = "shares in code are of the function or of the recording, in periods or samples: (local|global)-(period|hits)" },
	{ OPTION_STRING, 0, "prefix", AT(code.listing.source_prefix), .arg = "prefix",
	  .help = "put this before absolute paths of source files" },
	{ OPTION_U64, 0, "prefix-strip", AT(code.listing.source_strip), .arg = "n",
	  .help = "take off their first n directories before that" },
	NEEDLESS_OPTION("objdump"),
	NEEDLESS_OPTION("addr2line"),
	NEEDLESS_OPTION("addr2line-style"),
	NEEDLESS_OPTION("unwind-style"),
	REFUSED_OPTION("itrace", refused_trace_decoder),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "show addresses and paths; -vv says more" },
	OPTIONS_END,
};

void report_options_defaults(void *options)
{
	struct report_options *o = options;
	o->selection.inlined = true;
	o->grouping = report_grouping_defaults();
}

/* Of pictures and pages one at a time; what is said of a page wants one. */
static struct strobe_error *check_pages(const struct report_options *o)
{
	if ((o->html != NULL) + o->web + (o->flamegraph != NULL) > 1)
		return error_create(ERROR_USAGE, "--flamegraph, --html, --web: one of them");
	if (o->http && !o->web)
		return error_create(ERROR_USAGE, "--http says where --web serves");
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
	cmd_set_verbosity(o->verbose > 1 ? o->verbose - 1 : 0);
	if (ctx->rest.argc > 1)
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'%s' is one word too many", ctx->rest.argv[1]));
	/* `report FILE` is what `report -i FILE` is. */
	if (ctx->rest.argc)
		o->selection.input = ctx->rest.argv[0];
	if (o->display.separator && !strcmp(o->display.separator, "\\t"))
		o->display.separator = "\t";
	if (o->display.separator && !strcmp(o->display.separator, "."))
		return cmd_fail_usage(ctx, error_create(ERROR_USAGE, "'.' cannot be the separator: it stands for it in names"));
	struct strobe_error *err = check_pages(o);
	return err ? cmd_fail_usage(ctx, err) : report_run(ctx, o);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "Read perf.data (created by record) and display the profile",
	.usage = (const char *const[]){ "report [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct report_options),
	.defaults = report_options_defaults,
	.run = run,
	.permute = true,
};
