#include "tracing/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

struct strobe_error *trace_selection_set_faults(struct trace_selection *s, const char *text)
{
	bool all = !strcmp(text, "all");
	s->major_faults = all || !strcmp(text, "maj");
	s->minor_faults = all || !strcmp(text, "min");
	return s->major_faults || s->minor_faults ? NULL :
		error_create(ERROR_USAGE, "unknown type of page faults \"%s\": expected all, maj or min", text);
}

struct strobe_error *trace_selection_exclude(struct trace_selection *s, const char *list)
{
	vec_clear(&s->excluded);
	for (const char *at = list + strspn(list, ","); *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");
		char word[24] = "";
		uint64_t pid = 0;
		if (n < sizeof(word))
			memcpy(word, at, n);
		if (!text_to_u64(word, &pid) || !pid || pid > INT32_MAX)
			return error_create(ERROR_USAGE, "\"%.*s\" is not a valid process ID", (int)n, at);
		vec_push(&s->excluded, (pid_t)pid);
		at += n;
	}
	return NULL;
}

static struct strobe_error *add_switch(struct trace_selection *s, const struct sys *sys, const char *name)
{
	if (!name || trace_selects_event(s, name))
		return NULL;
	if (event_is_probe(name))
		return error_create(ERROR_USAGE, "a probe is added with -e, and then has a name: probe_zsh:zfree");
	if (!s->events.events.len && !s->syscalls_set)
		s->syscalls = s->syscalls_set = true;
	return event_parse(&s->events, sys, name);
}

struct strobe_error *trace_selection_add_switches(struct trace_selection *s, const struct sys *sys)
{
	size_t named = s->events.events.len;
	TRY(error_prefix(add_switch(s, sys, s->switch_on), "--switch-on"));
	s->switch_on_added = s->events.events.len > named;
	return error_prefix(add_switch(s, sys, s->switch_off), "--switch-off");
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
