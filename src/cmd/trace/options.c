#include "cmd/trace/options.h"

#include <string.h>

#include "capture/options.h"
#include "cmd/unsupported.h"
#include "tracing/live/check.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define AT(field)  offsetof(struct trace_options, field)

CALL(parse_mode)
{
	struct trace_options *o = options;
	if (negated || !strcmp(value, "thread"))
		o->summary.by = SYSCALL_STATS_BY_THREAD;
	else if (!strcmp(value, "total"))
		o->summary.by = SYSCALL_STATS_BY_NOTHING;
	else if (!strcmp(value, "cgroup"))
		o->summary.by = SYSCALL_STATS_BY_CGROUP;
	else
		return error_create(ERROR_USAGE, "unknown summary mode \"%s\": expected thread, total or cgroup", value);
	return NULL;
}

CALL(parse_format)
{
	struct trace_options *o = options;
	o->display.format = trace_format_find(negated ? "text" : value);
	if (!o->display.format)
		return error_create(ERROR_USAGE, "unknown format \"%s\": expected %s", value, trace_format_names());
	return NULL;
}

CALL(parse_excluded)
{
	struct trace_options *o = options;
	return trace_selection_exclude(&o->selection, negated ? "" : value);
}

CALL(parse_pages)
{
	struct trace_options *o = options;
	uint64_t pages = 0;
	if (!negated)
		TRY(mmap_pages_parse(value, &pages));
	o->live.ring_bytes = pages << 12;
	o->live.ring_bytes_set = !negated;
	return NULL;
}

CALL(parse_expr)
{
	struct trace_options *o = options;
	o->last_events = o->selection.events.events.len;
	o->filters_functions = false;
	return negated ? error_create(ERROR_USAGE, "events cannot be negated") :
			 trace_selection_add(&o->selection, sys_live(), value);
}

CALL(parse_function)
{
	struct trace_options *o = options;
	o->filters_functions = true;
	if (negated)
		vec_clear(&o->selection.functions);
	else
		vec_push(&o->selection.functions, value);
	return NULL;
}

CALL(parse_filter)
{
	struct trace_options *o = options;
	if (o->filters_functions && !negated) {
		o->selection.function_filter = value;
		return NULL;
	}
	return negated ? error_create(ERROR_USAGE, "filters cannot be negated") :
			 event_list_add_filter(&o->selection.events, o->last_events, value);
}

CALL(parse_faults)
{
	struct trace_options *o = options;
	o->selection.major_faults = o->selection.minor_faults = false;
	return negated ? NULL : trace_selection_set_faults(&o->selection, value);
}

CALL(parse_callgraph)
{
	struct trace_options *o = options;
	if (!negated)
		return callgraph_parse(value ? value : "auto", &o->live.callgraph);
	o->live.callgraph = (struct callgraph_options){};
	return NULL;
}

#undef CALL

const struct option trace_option_table[] = {
	{ OPTION_GROUP, .help = "Targets" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(live.target.system_wide), .help = "trace the whole system" },
	{ OPTION_STRING, 'C', "cpu", AT(live.target.cpus), .arg = "cpu", .help = "trace all tasks on these CPUs" },
	{ OPTION_STRING, 'p', "pid", AT(live.target.pids), .arg = "pid", .help = "trace existing processes, with all their threads" },
	{ OPTION_STRING, 't', "tid", AT(live.target.tids), .arg = "tid", .help = "trace existing threads" },
	{ OPTION_STRING, 'u', "uid", AT(live.target.uid), .arg = "user", .help = "trace the processes of a user" },
	{ OPTION_STRING, 'G', "cgroup", AT(live.cgroup), .arg = "name", .help = "trace the tasks of a cgroup (v2) and its descendants" },
	{ OPTION_CALL, 0, "filter-pids", .arg = "pids", .parse = parse_excluded, .help = "exclude these processes (with -a)" },
	{ OPTION_BOOL, 0, "no-inherit", AT(live.no_inherit), .help = "do not follow child processes" },
	{ OPTION_I64, 'D', "delay", AT(live.delay_ms), .arg = "ms", .help = "delay before tracing (ms)" },
	{ OPTION_GROUP, .help = "Events" },
	{ OPTION_CALL, 'e', "event", .arg = "calls", .parse = parse_expr,
	  .help = "system calls by name, glob (open*), class (%file), number or /regex, with ! before the list: all others; and "
	  	"tracepoints (sched:*, syscalls:sys_enter_connect)" },
	{ OPTION_CALL, 0, "expr", .arg = "calls", .parse = parse_expr, .help = "same as -e" },
	{ OPTION_CALL, 0, "func", .arg = "BIN:GLOB", .parse = parse_function,
	  .help = "calls of functions: of a program or library (libc:malloc), of the traced program (GLOB alone), of the kernel "
	  	"(kernel:tcp_*)" },
	{ OPTION_CALL, 0, "filter", .arg = "filter", .parse = parse_filter, .help = "filter for the tracepoints of the last -e, or for "
		"the arguments of --func" },
	{ OPTION_BOOL, 0, "syscalls", AT(selection.syscalls), .set_offset = AT(selection.syscalls_set),
	  .help = "trace system calls (default, unless -e has tracepoints only)" },
	{ OPTION_CALL, 'F', "pf", .arg = "all|maj|min", .parse = parse_faults, .default_arg = "maj", .help = "trace page faults" },
	{ OPTION_BOOL, 0, "signals", AT(selection.signals), .set_offset = AT(selection.signals_set),
	  .help = "show delivered signals (default without -e)" },
	{ OPTION_BOOL, 0, "processes", AT(selection.processes), .set_offset = AT(selection.processes_set),
	  .help = "show starts and exits of tasks (default without -e)" },
	{ OPTION_BOOL, 0, "failure", AT(selection.failure), .help = "show only failed system calls" },
	{ OPTION_STRING, 'P', "trace-path", AT(selection.path), .arg = "path",
	  .help = "show only system calls on this file, by name or descriptor (\"/etc/*\": on paths with this prefix)" },
	{ OPTION_F64, 0, "duration", AT(selection.duration_ms), .arg = "ms", .set_offset = AT(selection.duration_set),
	  .help = "show only system calls that took longer than this" },
	{ OPTION_STRING, 0, "switch-on", AT(selection.switch_on), .arg = "event", .help = "start printing at this event" },
	{ OPTION_STRING, 0, "switch-off", AT(selection.switch_off), .arg = "event", .help = "stop printing at this event" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(selection.show_switches), .help = "show the --switch-on and --switch-off events too" },
	{ OPTION_GROUP, .help = "Call graphs" },
	{ OPTION_CALL, 'g', NULL, .parse = parse_callgraph, .help = "show the call chain of each event: whole stacks (--call-graph auto)" },
	{ OPTION_CALL, 0, "call-graph", .arg = "mode[,bytes]", .parse = parse_callgraph,
	  .help = "show the call chain of each event: fp, or dwarf (same as auto), with the size of stack dumps (default: 8192)" },
	{ OPTION_BOOL, 0, "kernel-syscall-graph", AT(live.kernel_graph), .help = "include the kernel part of system call stacks" },
	{ OPTION_U64, 0, "max-stack", AT(selection.max_stack), .arg = "n",
	  .help = "maximum number of frames of a stack (default: no limit); implies --call-graph dwarf" },
	{ OPTION_U64, 0, "min-stack", AT(selection.min_stack), .arg = "n",
	  .help = "show only events with at least n frames; implies --call-graph dwarf" },
	{ OPTION_U64, 0, "proc-map-timeout", AT(live.proc_map_timeout_ms), .arg = "ms",
	  .help = "time limit for reading the mappings of an existing process, in ms (default: 500)" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_BOOL, 's', "summary", AT(summary.only), .help = "print only a summary, aggregated in the kernel" },
	{ OPTION_BOOL, 'S', "with-summary", AT(summary.with_lines), .help = "print all system calls, then a summary" },
	{ OPTION_BOOL, 0, "bpf-summary", AT(summary.in_kernel),
	  .help = "aggregate the summary in the kernel (default with -s; --no-bpf-summary: in user space)" },
	{ OPTION_BOOL, 0, "errno-summary", AT(summary.errnos), .help = "add the number of errors by errno to the summary" },
	{ OPTION_CALL, 0, "summary-mode", .arg = "thread|total|cgroup", .parse = parse_mode, .help = "aggregate the summary "
		"per thread, in total or per cgroup" },
	{ OPTION_U64, 0, "max-summary", AT(max_summary), .arg = "n", .help = "limit the summary to n system calls per thread" },
	{ OPTION_BOOL, 0, "hist", AT(histograms), .help = "add histograms of durations to the summary (powers of two)" },
	{ OPTION_BOOL, 'T', "time", AT(display.full_time), .help = "print absolute timestamps instead of relative to the first line" },
	{ OPTION_BOOL, 0, "sched", AT(summary.sched),
	  .help = "add run and wait times of the scheduler to the summary; implies -S without -s" },
	{ OPTION_BOOL, 0, "no-comm", AT(display.no_comm), .help = "omit the names of threads" },
	{ OPTION_BOOL, 0, "show-cpu", AT(display.show_cpu), .help = "show the CPU after the time" },
	{ OPTION_U64, 0, "max-events", AT(selection.max_events), .arg = "n", .help = "exit after n lines" },
	{ OPTION_U64, 0, "str-limit", AT(display.str_limit), .arg = "bytes", .help = "maximum number of bytes of strings and buffers "
		"to print (default: 32)" },
	{ OPTION_BOOL, 0, "strace", AT(display.strace_style), .help = "print arguments in the style of strace" },
	{ OPTION_CALL, 0, "format", .arg = "text|json|chrome", .parse = parse_format,
	  .help = "output format on standard output; json: one object per line, with -s one document; chrome: a document for "
	  	"trace viewers" },
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "read events from a recording; - for standard input" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check of the recording" },
	{ OPTION_BOOL, 0, "no-bpf", AT(live.no_bpf), .help = "use tracepoints and ring buffers instead of BPF" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write to this file instead of standard error" },
	{ OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = parse_pages,
	  .help = "size of the kernel buffer, in pages, or in bytes with a unit (default: 8M)" },
	{ OPTION_BOOL, 0, "no-wait", AT(live.no_wait),
	  .help = "never delay system calls: drop events when the buffer is full" },
	{ OPTION_BOOL, 0, "sort-events", AT(live.sort_events), .help = "sort the events of all CPUs before printing them" },
	{ OPTION_BOOL, 0, "libtraceevent_print", AT(display.points_as_kernel), .help = "print tracepoints in the format of the "
		"kernel's trace file" },
	NEEDLESS_SWITCH("force-btf"),
	{ OPTION_BOOL, 0, "print-sample", AT(live.print_sample), .help = "print the sample before each line, for debugging" },
	{ OPTION_STRING, 0, "map-dump", AT(live.map_dump), .arg = "map", .help = "dump this BPF map of trace at exit" },
	{ OPTION_BOOL, 0, "tool_stats", AT(tool_stats), .help = "print statistics of trace itself at exit" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

void trace_options_defaults(void *options)
{
	struct trace_options *o = options;
	o->display.format = &trace_format_text;
	o->display.str_limit = 32;
	o->display.align = 70;
	o->live.ring_bytes = 8 << 20;
	o->live.proc_map_timeout_ms = 500;
	o->summary.in_kernel = true;
	trace_selection_init(&o->selection);
}

void trace_options_deinit(void *options)
{
	struct trace_options *o = options;
	trace_selection_deinit(&o->selection);
}

struct strobe_error *trace_options_settle(struct trace_options *o)
{
	TRY(trace_selection_add_switches(&o->selection, sys_live()));
	return live_trace_settle(&o->selection, &o->summary, &o->live);
}

struct strobe_error *trace_options_check(const struct trace_options *o)
{
	TRY(live_trace_check(&o->selection, &o->summary, &o->live, o->histograms));
	if ((o->summary.only || o->summary.with_lines) && o->display.format == &trace_format_chrome)
		return error_create(ERROR_USAGE, "--format chrome does not support summaries: use text or json");
	if ((o->tool_stats || o->live.map_dump) && o->display.format != &trace_format_text)
		return error_create(ERROR_USAGE, "--tool_stats and --map-dump print text and cannot be combined with --format "
			"%s", o->display.format->name);
	if (!o->display.str_limit || o->display.str_limit > 1024)
		return error_create(ERROR_USAGE, "--str-limit %llu: expected 1 to 1024 bytes", (unsigned long long)o->display.str_limit);
	return NULL;
}

struct strobe_error *trace_options_check_replay(const struct trace_options *o, const char *word)
{
	TRY(trace_options_check(o));
	if (word)
		return error_create(ERROR_USAGE, "-i reads a recording: unexpected command '%s'", word);
	return live_trace_check_replay(&o->selection, &o->summary, &o->live, o->tool_stats);
}
