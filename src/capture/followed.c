#include "capture/followed.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/perf_abi.h"

static bool is_core_pmu(const struct capture_event *e)
{
	return !e->uncore && e->pmu &&
	       (text_has_prefix(e->pmu, "cpu") || text_has_prefix(e->pmu, "arm") || text_has_prefix(e->pmu, "ibs_"));
}

/* Events that measure a CPU, independent of tasks, cannot be filtered. */
static const char *obstacle_of_event(const struct capture_event *e)
{
	if (e->format) /* its program keeps what tasks do that are followed */
		return NULL;
	if (e->tracepoint_name || e->attr.type == PERF_TYPE_TRACEPOINT)
		return "tracepoints are recorded per task";
	if (e->kind == EVENT_BREAKPOINT || e->attr.type == PERF_TYPE_BREAKPOINT)
		return "breakpoints are set per task";
	if (e->kind == EVENT_PMU ? !is_core_pmu(e) : e->attr.type > PERF_TYPE_RAW)
		return "events of this PMU are recorded per task";
	/* Other tasks on the CPU would affect their rate. */
	bool is_output = e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
	if (e->attr.type == PERF_TYPE_SOFTWARE && !perf_attr_is_clock(&e->attr) && !perf_attr_is_dummy(&e->attr) && !is_output)
		return "software events other than clocks are recorded per task";
	if (e->sample_read)
		return ":S reads counts of tasks";
	if (e->terms.set & (EVENT_TERM_INHERIT | EVENT_TERM_AUX_OUTPUT | EVENT_TERM_AUX_SAMPLE_SIZE))
		return "an event has inherit or AUX terms";
	return NULL;
}

const char *followed_obstacle(const struct event_set *events, const struct capture_options *o)
{
	if (o->target.per_thread)
		return "--per-thread";
	if (o->no_inherit)
		return "--no-inherit records tasks that exist already";
	if (o->inherit_stat)
		return "-s counts per thread";
	if (o->switch_events)
		return "--switch-events records switches of tasks";
	if (o->no_samples)
		return "-n records no samples";
	if (o->callgraph.mode == CALLGRAPH_LBR)
		return "--call-graph lbr needs the branches of each task";
	for (size_t i = 0; i < events->events.len; i++) {
		const char *why = obstacle_of_event(&events->events.data[i]);
		if (why)
			return why;
	}
	return NULL;
}

bool followed_is_alive(const struct followed_tasks *f, const struct sys *sys)
{
	for (uint32_t i = 0; i < f->nr; i += 64) {
		uint64_t word = __atomic_load_n(&f->bits[i / 64], __ATOMIC_RELAXED);
		for (; word; word &= word - 1) {
			pid_t id = (pid_t)(i + (uint32_t)__builtin_ctzll(word));
			/* Most have ended, which is quickly known. */
			if (kill(id, 0) && errno == ESRCH)
				continue;
			if (f->by_thread ? target_is_task_alive(sys, id) : target_is_process_alive(sys, id))
				return true;
		}
	}
	return false;
}
