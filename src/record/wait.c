#include "record/wait.h"

#include <string.h>

bool wait_is_event(const struct env_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT && e->name &&
	       !strcmp(e->name, WAIT_EVENT);
}

bool env_has_waits(const struct env *env)
{
	for (uint32_t i = 0; i < env->events.len; i++)
		if (wait_is_event(&env->events.data[i]))
			return true;
	return false;
}

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

struct wait_events wait_events_of(const struct env *env)
{
	struct wait_events none = { UINT32_MAX, UINT32_MAX }, ret = none;
	for (uint32_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		if (wait_is_event(e))
			ret.wait_event = i;
		else if (is_clock(&e->attr) && ret.clock_event == UINT32_MAX)
			ret.clock_event = i;
		else if (is_clock(&e->attr)) /* time that runs would count twice */
			return none;
	}
	return ret.wait_event == UINT32_MAX || ret.clock_event == UINT32_MAX ? none : ret;
}
