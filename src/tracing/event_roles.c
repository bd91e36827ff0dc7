/* The roles of events of a trace or recording, by their attrs and names. */
#include <string.h>

#include "base/text.h"
#include "tracing/events.h"

#define RAW_ENTER "raw_syscalls:sys_enter"
#define RAW_EXIT  "raw_syscalls:sys_exit"

enum trace_role trace_fault_role(const struct perf_event_attr *a)
{
	if (a->type != PERF_TYPE_SOFTWARE)
		return TRACE_ROLE_NONE;
	switch (a->config) {
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return TRACE_ROLE_MAJOR_FAULT;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS:
		return TRACE_ROLE_MINOR_FAULT;
	default:
		return TRACE_ROLE_NONE;
	}
}

static bool is_call_event(const char *name)
{
	return text_has_prefix(name, "raw_syscalls:sys_e") || text_has_prefix(name, "syscalls:sys_e");
}

/* Modifiers may follow the name. */
static bool has_event(const struct env *env, const char *name)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].attr.type == PERF_TYPE_TRACEPOINT && text_has_prefix(env->events.data[i].name, name))
			return true;
	return false;
}

static bool is_pair(const struct env *env, const struct env_event *e)
{
	if (e->attr.type != PERF_TYPE_TRACEPOINT)
		return false;
	if (text_has_prefix(e->name, "raw_syscalls:sys_e"))
		return true;
	return (text_has_prefix(e->name, "syscalls:sys_enter") && !has_event(env, RAW_ENTER)) ||
	       (text_has_prefix(e->name, "syscalls:sys_exit") && !has_event(env, RAW_EXIT));
}

enum trace_role trace_role_of(const struct env *env, size_t event, bool pairs, bool faults, bool is_shown)
{
	const struct env_event *e = &env->events.data[event];
	enum trace_role fault = faults ? trace_fault_role(&e->attr) : TRACE_ROLE_NONE;
	if (pairs && is_pair(env, e))
		return TRACE_ROLE_PAIR;
	return fault != TRACE_ROLE_NONE ? fault : is_shown ? TRACE_ROLE_POINT : TRACE_ROLE_NONE;
}

bool trace_events_have_calls(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (is_call_event(env->events.data[i].name) || trace_fault_role(&env->events.data[i].attr) != TRACE_ROLE_NONE)
			return true;
	return false;
}

bool trace_events_need_symbols(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		if (a->sample_type & PERF_SAMPLE_CALLCHAIN || trace_fault_role(a) != TRACE_ROLE_NONE)
			return true;
	}
	return false;
}
