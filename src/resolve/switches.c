#include "resolve/switches.h"

#include <string.h>

struct strobe_error *event_switches_find(const struct env *env, const char *name, const char *option, bool is_live, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; name && i < env->events.len && !*ret; i++)
		if (!strcmp(env->events.data[i].name, name))
			*ret = (uint32_t)i + 1;
	if (name && !*ret)
		return error_create(ERROR_NOT_FOUND,
				    is_live ? "no event '%s' for %s: specify it with -e as well"
					    : "the recording has no event '%s' for %s; see 'evlist' for its events",
				    name, option);
	return NULL;
}

bool event_switches_leave_out(struct event_switches *s, uint32_t event)
{
	if (s->on && s->is_off) {
		if (event + 1 != s->on)
			return true;
		s->is_off = false;
		return !s->keep;
	}
	if (s->off && !s->is_off && event + 1 == s->off) {
		s->is_off = true;
		return !s->keep;
	}
	return s->is_off;
}
