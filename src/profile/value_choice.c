#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "profile/profile.h"

/* Skips events without counts, such as the dummy event for side-band records. */
static uint32_t last_event(const struct profile *p)
{
	uint32_t last = (uint32_t)p->events.len - 1;
	for (uint32_t i = last; !p->origin.events_are_values; i--) {
		if (p->events.data[i].samples || p->events.data[i].value)
			return i;
		if (!i)
			break;
	}
	return last;
}

bool profile_event_is_called(const char *event, const char *name, bool without_modifiers)
{
	size_t n = strlen(name);
	return !strncmp(event, name, n) && (!event[n] || (without_modifiers && event[n] == ':'));
}

struct strobe_error *profile_choose_event(const struct profile *p, const char *name, uint32_t *ret)
{
	_cleanup_strbuf_ struct strbuf names = {};
	bool by_default = !*name;
	uint64_t number;
	if (!p->events.len)
		return error_create(ERROR_FORMAT, "the profile has no values");
	*ret = last_event(p);
	if (by_default)
		name = profile_str(p, p->origin.default_event);
	if (text_to_u64(name, &number) && number < p->events.len) {
		*ret = (uint32_t)number;
		return NULL;
	}
	const char *without = text_has_prefix(name, "inuse_") ? name + strlen("inuse_") : name;
	for (uint32_t i = 0; i < p->events.len; i++) {
		const char *event = profile_event_name(p, i);
		strbuf_addf(&names, "%s%s", i ? ", " : "", event);
		if (!strcmp(event, name) || !strcmp(event, without)) {
			*ret = i;
			return NULL;
		}
	}
	if (by_default)
		return NULL;
	return error_create(ERROR_USAGE, "the profile has no values '%s'; its values: %s", name, strbuf_str(&names));
}
