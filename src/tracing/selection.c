#include "tracing/selection.h"

#include <stdlib.h>
#include <string.h>

#include "tracing/events.h"

void trace_selection_init(struct trace_selection *s)
{
	event_list_init(&s->events);
}

void trace_selection_deinit(struct trace_selection *s)
{
	vec_deinit(&s->excluded);
	vec_deinit(&s->functions);
	event_list_deinit(&s->events);
	free(s->calls);
}

bool trace_selects_calls(const struct trace_selection *s)
{
	return s->syscalls_set ? s->syscalls : s->calls || (!s->events.events.len && !s->functions.len);
}

bool trace_selects_anything(const struct trace_selection *s)
{
	return trace_selects_calls(s) || s->events.events.len || s->functions.len || s->minor_faults || s->major_faults;
}

static bool shows_all(const struct trace_selection *s, const struct trace_summary *sums)
{
	return trace_selects_calls(s) && !sums->only && !s->calls && !s->failure && !s->duration_set && !s->path;
}

bool trace_selects_signals(const struct trace_selection *s, const struct trace_summary *sums)
{
	return s->signals_set ? s->signals : shows_all(s, sums);
}

bool trace_selects_processes(const struct trace_selection *s, const struct trace_summary *sums)
{
	return s->processes_set ? s->processes : shows_all(s, sums);
}

bool trace_selects_event(const struct trace_selection *s, const char *name)
{
	for (size_t i = 0; i < s->events.events.len; i++)
		if (!strcmp(s->events.events.data[i].name, name))
			return true;
	return false;
}

bool trace_selects_faults(const struct trace_selection *s)
{
	for (size_t i = 0; i < s->events.events.len; i++)
		if (trace_fault_role(&s->events.events.data[i].attr) != TRACE_ROLE_NONE)
			return true;
	return s->minor_faults || s->major_faults;
}
