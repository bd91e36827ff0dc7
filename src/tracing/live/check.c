#include "tracing/live/check.h"

#include <string.h>

#include "bpf/trace/trace_maps.h"
#include "bpf/trace/trace_shared.h"

struct strobe_error *live_trace_check(const struct trace_selection *s, const struct trace_summary *sums,
				      const struct live_trace_options *live, bool has_histograms)
{
	if (s->functions.len && s->min_stack)
		return error_create(ERROR_USAGE, "--min-stack cannot be combined with --func");
	if (s->functions.len && sums->only && (s->function_filter || !sums->in_kernel))
		return error_create(ERROR_USAGE, "-s counts functions in the kernel: use -S with --filter or --no-bpf-summary");
	if (s->path && (sums->only || sums->with_lines))
		return error_create(ERROR_USAGE, "-P selects lines and cannot be combined with -s or -S");
	if (s->path && (!*s->path || !strcmp(s->path, "*")))
		return error_create(ERROR_USAGE, "-P requires a path");
	if (sums->only && (s->failure || s->duration_set || s->max_events))
		return error_create(ERROR_USAGE, "--failure, --duration and --max-events select lines: use -S instead of -s");
	if ((sums->errnos || has_histograms || sums->by != SYSCALL_STATS_BY_THREAD) && !sums->only && !sums->with_lines)
		return error_create(ERROR_USAGE, "--errno-summary, --hist and --summary-mode require -s or -S");
	if (sums->by == SYSCALL_STATS_BY_CGROUP && !sums->in_kernel)
		return error_create(ERROR_USAGE, "--summary-mode cgroup requires --bpf-summary");
	if (!trace_selects_anything(s))
		return error_create(ERROR_USAGE, "nothing to trace: with --no-syscalls, specify tracepoints (-e) or page faults (-F)");
	bool has_graph = live->callgraph.mode != CALLGRAPH_NONE || live->kernel_graph;
	if (sums->only && live_trace_has_events(s, live))
		return error_create(ERROR_USAGE, "tracepoints and page faults print lines: use -S instead of -s");
	if (sums->only && has_graph && (sums->by == SYSCALL_STATS_BY_CGROUP || s->functions.len))
		return error_create(ERROR_USAGE, "-s with call graphs cannot be combined with --func or --summary-mode cgroup");
	if (live->callgraph.mode == CALLGRAPH_LBR)
		return error_create(ERROR_USAGE, "--call-graph lbr requires hardware events: use fp or dwarf");
	if (live->callgraph.mode == CALLGRAPH_EH)
		return error_create(ERROR_USAGE, "--call-graph eh is supported by record only: use fp or dwarf");
	if (live->callgraph.mode == CALLGRAPH_DWARF && live->callgraph.dump_bytes > TRACE_STACK_BYTES && trace_selects_calls(s))
		return error_create(ERROR_USAGE, "--call-graph dwarf,%u: the maximum for system calls is %u bytes",
				    live->callgraph.dump_bytes, TRACE_STACK_BYTES);
	if (live->map_dump)
		TRY(trace_map_check(sums->only && sums->in_kernel ? TRACE_MAPS_SUMMARY : TRACE_MAPS_STREAM, live->map_dump));
	if (live->map_dump && !trace_selects_calls(s))
		return error_create(ERROR_USAGE, "--map-dump requires system calls: there are no BPF maps otherwise");
	if (s->show_switches && !s->switch_on && !s->switch_off)
		return error_create(ERROR_USAGE, "--show-on-off-events requires --switch-on or --switch-off");
	if (s->duration_ms < 0 || live->delay_ms < 0)
		return error_create(ERROR_USAGE, "times must not be negative");
	if (!live->ring_bytes)
		return error_create(ERROR_USAGE, "-m 0: the buffer needs at least one page");
	return NULL;
}

struct strobe_error *live_trace_settle(const struct trace_selection *s, struct trace_summary *sums, struct live_trace_options *live)
{
	if (sums->sched && !sums->only)
		sums->with_lines = true;
	bool needs_stacks = live->callgraph.mode == CALLGRAPH_NONE && (s->max_stack || s->min_stack);
	return needs_stacks || live->callgraph.mode == CALLGRAPH_AUTO ? callgraph_parse("dwarf", &live->callgraph) : NULL;
}

struct strobe_error *live_trace_check_replay(const struct trace_selection *s, const struct trace_summary *sums,
					     const struct live_trace_options *live, bool with_totals)
{
	if (s->functions.len)
		return error_create(ERROR_USAGE, "--func cannot be combined with -i: it applies to live tracing");
	if (!target_is_none(&live->target) || live->target.cpus || live->cgroup || live->delay_ms || live->ring_bytes_set ||
	    live->no_inherit)
		return error_create(ERROR_USAGE, "-a, -C, -D, -G, -m, -p, -t, -u and --no-inherit cannot be combined with -i: "
			"they apply to live tracing");
	if (live->callgraph.mode != CALLGRAPH_NONE || live->kernel_graph || sums->sched || s->switch_on || s->switch_off ||
	    live->map_dump || live->print_sample || with_totals || s->min_stack)
		return error_create(ERROR_USAGE, "--call-graph, --kernel-syscall-graph, --map-dump, --min-stack, "
			"--print-sample, --sched, --switch-on, --switch-off and --tool_stats cannot be combined with -i: they "
			"apply to live tracing (recorded call graphs are shown)");
	if ((s->signals_set && s->signals) || (s->processes_set && s->processes))
		return error_create(ERROR_USAGE, "--signals and --processes cannot be combined with -i: a recording has "
			"neither delivered signals nor exits of tasks");
	if (s->path)
		return error_create(ERROR_USAGE, "-P cannot be combined with -i: a recording has no paths");
	if (sums->by == SYSCALL_STATS_BY_CGROUP)
		return error_create(ERROR_USAGE, "--summary-mode cgroup cannot be combined with -i: a recording has no cgroups");
	return NULL;
}
