#include "cmd/trace/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/trace/trace_maps.h"
#include "bpf/trace/trace_shared.h"
#include "capture/options.h"
#include "cmd/refused.h"
#include "cmd/trace/choose.h"

#define CALL(name) static struct strobe_error *name(void *options, const char *value, bool negated)
#define AT(field)  offsetof(struct trace_options, field)

CALL(parse_mode)
{
	struct trace_options *o = options;
	if (negated || !strcmp(value, "thread"))
		o->by = SYSCALL_STATS_BY_THREAD;
	else if (!strcmp(value, "total"))
		o->by = SYSCALL_STATS_BY_NOTHING;
	else if (!strcmp(value, "cgroup"))
		o->by = SYSCALL_STATS_BY_CGROUP;
	else
		return error_create(ERROR_USAGE, "\"%s\" is no way to sum up: thread, total or cgroup", value);
	return NULL;
}

CALL(parse_format)
{
	struct trace_options *o = options;
	o->format = trace_format_find(negated ? "text" : value);
	if (!o->format)
		return error_create(ERROR_USAGE, "\"%s\" is no format: %s", value, trace_format_names());
	return NULL;
}

CALL(parse_excluded)
{
	struct trace_options *o = options;
	vec_clear(&o->excluded);
	_cleanup_free_ char *list = xstrdup(negated ? "" : value);
	char *save;
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		uint64_t pid;
		if (!text_to_u64(word, &pid) || !pid || pid > INT32_MAX)
			return error_create(ERROR_USAGE, "\"%s\" is no process id", word);
		vec_push(&o->excluded, (pid_t)pid);
	}
	return NULL;
}

CALL(parse_pages)
{
	struct trace_options *o = options;
	uint64_t pages = 0;
	if (!negated)
		TRY(mmap_pages_parse(value, &pages));
	o->ring_bytes = pages << 12;
	o->ring_bytes_set = !negated;
	return NULL;
}

CALL(parse_expr)
{
	return negated ? error_create(ERROR_USAGE, "events cannot be taken back") : trace_choose(options, value);
}

CALL(parse_filter)
{
	struct trace_options *o = options;
	if (negated)
		return error_create(ERROR_USAGE, "filters cannot be taken back");
	if (o->last_events >= o->events.events.len)
		return error_create(ERROR_USAGE, "stands behind the -e whose tracepoints it filters");
	for (size_t i = o->last_events; i < o->events.events.len; i++) {
		struct event *e = &o->events.events.data[i];
		if (e->kind != EVENT_TRACEPOINT)
			return error_create(ERROR_USAGE, "%s is no tracepoint: the kernel filters those only", e->name);
		e->filter = e->filter ? arena_printf(&o->events.arena, "(%s) && (%s)", e->filter, value)
				      : arena_strdup(&o->events.arena, value);
	}
	return NULL;
}

CALL(parse_faults)
{
	struct trace_options *o = options;
	bool all = !negated && !strcmp(value, "all");
	o->major_faults = all || (!negated && !strcmp(value, "maj"));
	o->minor_faults = all || (!negated && !strcmp(value, "min"));
	if (!negated && !o->major_faults && !o->minor_faults)
		return error_create(ERROR_USAGE, "\"%s\" is no kind of page faults: all, maj or min", value);
	return NULL;
}

CALL(parse_callgraph)
{
	struct trace_options *o = options;
	if (!negated)
		return callgraph_parse(value ? value : "fp", &o->callgraph);
	o->callgraph = (struct callgraph_options){};
	return NULL;
}

#undef CALL

const struct option trace_option_table[] = {
	{ OPTION_GROUP, .help = "Whom to trace" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(target.system_wide), .help = "the whole system" },
	{ OPTION_STRING, 'C', "cpu", AT(target.cpus), .arg = "cpu", .help = "calls on these CPUs, of all tasks" },
	{ OPTION_STRING, 'p', "pid", AT(target.pids), .arg = "pid", .help = "processes that are there, with all their threads" },
	{ OPTION_STRING, 't', "tid", AT(target.tids), .arg = "tid", .help = "threads that are there" },
	{ OPTION_STRING, 'u', "uid", AT(target.uid), .arg = "user", .help = "the processes of a user" },
	{ OPTION_STRING, 'G', "cgroup", AT(cgroup), .arg = "name", .help = "tasks of a cgroup (version 2) and of those below it" },
	{ OPTION_CALL, 0, "filter-pids", .arg = "pids", .parse = parse_excluded, .help = "leave these out (with -a)" },
	{ OPTION_BOOL, 0, "no-inherit", AT(no_inherit), .help = "not what they start" },
	{ OPTION_I64, 'D', "delay", AT(delay_ms), .arg = "ms", .help = "wait before tracing" },
	{ OPTION_GROUP, .help = "What to trace" },
	{ OPTION_CALL, 'e', "event", .arg = "calls", .parse = parse_expr,
	  .help = "system calls by name, glob (open*), class (%file), number or /regex; ! before the list: all but these; "
		  "and tracepoints (sched:*, syscalls:sys_enter_connect)" },
	{ OPTION_CALL, 0, "expr", .arg = "calls", .parse = parse_expr, .help = "the same" },
	{ OPTION_CALL, 0, "filter", .arg = "filter", .parse = parse_filter, .help = "a filter for the tracepoints of the last -e" },
	{ OPTION_BOOL, 0, "syscalls", AT(syscalls), .set_offset = AT(syscalls_set),
	  .help = "system calls (the default, unless -e names tracepoints alone)" },
	{ OPTION_CALL, 'F', "pf", .arg = "all|maj|min", .parse = parse_faults, .default_arg = "maj", .help = "page faults" },
	{ OPTION_BOOL, 0, "signals", AT(signals), .set_offset = AT(signals_set),
	  .help = "signals that are delivered (the default where all calls are shown)" },
	{ OPTION_BOOL, 0, "processes", AT(processes), .set_offset = AT(processes_set),
	  .help = "tasks that start and end (the default where all calls are shown)" },
	{ OPTION_BOOL, 0, "failure", AT(failure), .help = "only calls that failed" },
	{ OPTION_STRING, 'P', "trace-path", AT(path), .arg = "path",
	  .help = "only calls with this file, by name or by descriptor (\"/etc/*\": paths that begin so)" },
	{ OPTION_F64, 0, "duration", AT(duration_ms), .arg = "ms", .set_offset = AT(duration_set),
	  .help = "only calls that took longer" },
	{ OPTION_STRING, 0, "switch-on", AT(switch_on), .arg = "event", .help = "nothing before this event" },
	{ OPTION_STRING, 0, "switch-off", AT(switch_off), .arg = "event", .help = "nothing after this event" },
	{ OPTION_BOOL, 0, "show-on-off-events", AT(show_switches), .help = "show those two events as well" },
	{ OPTION_GROUP, .help = "Call graphs" },
	{ OPTION_CALL, 0, "call-graph", .arg = "mode[,bytes]", .parse = parse_callgraph,
	  .help = "the stack of each event: fp, or dwarf (auto) with the bytes of stack to copy (8192)" },
	{ OPTION_BOOL, 0, "kernel-syscall-graph", AT(kernel_graph), .help = "of system calls the kernel's part of the stack too" },
	{ OPTION_U64, 0, "max-stack", AT(max_stack), .arg = "n",
	  .help = "maximum number of frames of a stack (default: no limit); implies --call-graph dwarf" },
	{ OPTION_U64, 0, "min-stack", AT(min_stack), .arg = "n",
	  .help = "no events with fewer frames; implies --call-graph dwarf" },
	{ OPTION_U64, 0, "proc-map-timeout", AT(proc_map_timeout_ms), .arg = "ms",
	  .help = "time to read the mappings of one process that is there (500)" },
	{ OPTION_GROUP, .help = "How it is shown" },
	{ OPTION_BOOL, 's', "summary", AT(summary), .help = "only statistics, counted in the kernel" },
	{ OPTION_BOOL, 'S', "with-summary", AT(with_summary), .help = "all calls, and statistics behind them" },
	{ OPTION_BOOL, 0, "bpf-summary", AT(bpf_summary),
	  .help = "count in the kernel (the default of -s); with --no-bpf-summary trace counts what the kernel sends" },
	{ OPTION_BOOL, 0, "errno-summary", AT(errnos), .help = "statistics with the errors by number (with -s or -S)" },
	{ OPTION_CALL, 0, "summary-mode", .arg = "thread|total|cgroup", .parse = parse_mode, .help = "how -s and -S sum up" },
	{ OPTION_U64, 0, "max-summary", AT(max_summary), .arg = "n", .help = "so many calls of each thread" },
	{ OPTION_BOOL, 0, "hist", AT(histograms), .help = "statistics with histograms of the durations (powers of two)" },
	{ OPTION_BOOL, 'T', "time", AT(full_time), .help = "times of the clock since boot, not since the first line" },
	{ OPTION_BOOL, 0, "sched", AT(sched), .help = "statistics with the time on CPUs and waiting for one; implies -S without -s" },
	{ OPTION_BOOL, 0, "no-comm", AT(no_comm), .help = "no names of threads before their ids" },
	{ OPTION_BOOL, 0, "show-cpu", AT(show_cpu), .help = "the CPU, behind the time" },
	{ OPTION_U64, 0, "max-events", AT(max_events), .arg = "n", .help = "end after so many lines" },
	{ OPTION_U64, 0, "str-limit", AT(str_limit), .arg = "bytes", .help = "bytes of strings and buffers that are shown (32)" },
	{ OPTION_BOOL, 0, "strace", AT(strace_style), .help = "arguments as strace writes them" },
	{ OPTION_CALL, 0, "format", .arg = "text|json|chrome", .parse = parse_format,
	  .help = "json: an object a line; of -s one document; chrome: a document for trace viewers; all on standard output" },
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "what a recording holds (- is standard input)" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "read a recording of another owner" },
	{ OPTION_BOOL, 0, "no-bpf", AT(no_bpf), .help = "by tracepoints and rings, as where BPF cannot be used" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "write here instead of standard error" },
	{ OPTION_CALL, 'm', "mmap-pages", .arg = "pages", .parse = parse_pages, .help = "size of the kernel's buffer (8M)" },
	{ OPTION_BOOL, 0, "no-wait", AT(no_wait),
	  .help = "calls never wait for the trace to be written: what is too much for the buffer is lost" },
	{ OPTION_BOOL, 0, "sort-events", AT(sort_events), .help = "put events of all CPUs in order before they are shown" },
	{ OPTION_BOOL, 0, "libtraceevent_print", AT(points_as_kernel), .help = "tracepoints as the kernel's trace file has them" },
	NEEDLESS_SWITCH("force-btf"),
	{ OPTION_BOOL, 0, "print-sample", AT(print_sample), .help = "before each line what the sample was, for debugging" },
	{ OPTION_STRING, 0, "map-dump", AT(map_dump), .arg = "map", .help = "at the end the content of this BPF map of trace's own" },
	{ OPTION_BOOL, 0, "tool_stats", AT(tool_stats), .help = "at the end what the trace itself did" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "say more" },
	OPTIONS_END,
};

void trace_options_defaults(void *options)
{
	struct trace_options *o = options;
	o->format = &trace_format_text;
	o->str_limit = 32;
	o->align = 70;
	o->ring_bytes = 8 << 20;
	o->proc_map_timeout_ms = 500;
	o->bpf_summary = true;
	event_list_init(&o->events);
}

void trace_options_deinit(void *options)
{
	struct trace_options *o = options;
	vec_deinit(&o->excluded);
	event_list_deinit(&o->events);
	free(o->calls_owned);
}

bool trace_wants_calls(const struct trace_options *o)
{
	return o->syscalls_set ? o->syscalls : o->calls || !o->events.events.len;
}

static bool shows_all(const struct trace_options *o)
{
	return trace_wants_calls(o) && !o->summary && !o->calls && !o->failure && !o->duration_set && !o->path;
}

bool trace_shows_signals(const struct trace_options *o)
{
	return o->signals_set ? o->signals : shows_all(o);
}

bool trace_shows_processes(const struct trace_options *o)
{
	return o->processes_set ? o->processes : shows_all(o);
}

bool trace_wants_events(const struct trace_options *o)
{
	return o->events.events.len || o->minor_faults || o->major_faults || o->callgraph.mode != CALLGRAPH_NONE ||
	       o->kernel_graph || o->sort_events || o->print_sample;
}

/* The event of that name, traced for its own sake or only to switch: whether that is why it is in the list. */
static struct strobe_error *add_switch(struct trace_options *o, const char *name)
{
	if (!name)
		return NULL;
	for (size_t i = 0; i < o->events.events.len; i++)
		if (!strcmp(o->events.events.data[i].name, name))
			return NULL;
	/* Alone it does not say what to trace: that are the system calls. */
	if (!o->events.events.len && !o->syscalls_set)
		o->syscalls = o->syscalls_set = true;
	return event_parse(&o->events, sys_live(), name);
}

struct strobe_error *trace_options_settle(struct trace_options *o)
{
	size_t named = o->events.events.len;
	TRY(error_prefix(add_switch(o, o->switch_on), "--switch-on"));
	o->switch_on_added = o->events.events.len > named;
	TRY(error_prefix(add_switch(o, o->switch_off), "--switch-off"));
	/* What it measures is shown in the statistics only. */
	if (o->sched && !o->summary)
		o->with_summary = true;
	bool wants_stacks = o->callgraph.mode == CALLGRAPH_NONE && (o->max_stack || o->min_stack);
	if (wants_stacks || o->callgraph.mode == CALLGRAPH_AUTO)
		return callgraph_parse("dwarf", &o->callgraph);
	return NULL;
}

struct strobe_error *trace_options_check(const struct trace_options *o, int argc)
{
	if (o->path && (o->summary || o->with_summary))
		return error_create(ERROR_USAGE, "-P chooses lines: neither with -s nor with -S");
	if (o->path && (!*o->path || !strcmp(o->path, "*")))
		return error_create(ERROR_USAGE, "-P wants a path");
	if (o->summary && (o->failure || o->duration_set || o->max_events))
		return error_create(ERROR_USAGE, "--failure, --duration and --max-events choose lines: with -S, not with -s");
	if ((o->errnos || o->histograms || o->by != SYSCALL_STATS_BY_THREAD) && !o->summary && !o->with_summary)
		return error_create(ERROR_USAGE, "--errno-summary, --hist and --summary-mode are of the statistics: add -s or -S");
	if (o->by == SYSCALL_STATS_BY_CGROUP && !o->bpf_summary)
		return error_create(ERROR_USAGE, "--summary-mode cgroup requires --bpf-summary");
	if (!trace_wants_calls(o) && !o->events.events.len && !o->minor_faults && !o->major_faults)
		return error_create(ERROR_USAGE, "nothing to trace: without system calls it takes -e with tracepoints, or -F");
	if (o->summary && trace_wants_events(o))
		return error_create(ERROR_USAGE, "tracepoints, page faults and call graphs are lines: with -S, not with -s");
	if (o->callgraph.mode == CALLGRAPH_LBR)
		return error_create(ERROR_USAGE, "--call-graph lbr: branches are recorded with hardware events only; fp or dwarf");
	if (o->callgraph.mode == CALLGRAPH_EH)
		return error_create(ERROR_USAGE, "--call-graph eh is of samples (record): of system calls fp or dwarf");
	if (o->callgraph.mode == CALLGRAPH_DWARF && o->callgraph.dump_bytes > TRACE_STACK_BYTES && trace_wants_calls(o))
		return error_create(ERROR_USAGE, "--call-graph dwarf,%u: of a system call %u bytes of stack can be copied",
				    o->callgraph.dump_bytes, TRACE_STACK_BYTES);
	if (o->map_dump)
		TRY(trace_map_check(o->summary && o->bpf_summary ? TRACE_MAPS_SUMMARY : TRACE_MAPS_STREAM, o->map_dump));
	if (o->map_dump && !trace_wants_calls(o))
		return error_create(ERROR_USAGE, "--map-dump: without system calls there are no BPF maps");
	if (o->show_switches && !o->switch_on && !o->switch_off)
		return error_create(ERROR_USAGE, "--show-on-off-events goes with --switch-on or --switch-off");
	if ((o->summary || o->with_summary) && o->format == &trace_format_chrome)
		return error_create(ERROR_USAGE, "--format chrome is of calls: statistics are text or json");
	if ((o->tool_stats || o->map_dump) && o->format != &trace_format_text)
		return error_create(ERROR_USAGE, "--tool_stats and --map-dump are text: not with --format %s", o->format->name);
	if (o->duration_ms < 0 || o->delay_ms < 0)
		return error_create(ERROR_USAGE, "times are not negative");
	if (!o->ring_bytes)
		return error_create(ERROR_USAGE, "-m 0: there is no buffer of no pages");
	if (!o->str_limit || o->str_limit > 1024)
		return error_create(ERROR_USAGE, "--str-limit %llu: 1 to 1024 bytes can be fetched", (unsigned long long)o->str_limit);
	return NULL;
}
