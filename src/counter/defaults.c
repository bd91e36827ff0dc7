/* The events of a plain `strobe stat`, as the reference has them. */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "counter/counter.h"

static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

struct strobe_error *counter_defaults_detail(struct event_list *list, const struct sys *sys, unsigned detail)
{
	for (unsigned i = 0; i < detail && i < sizeof(details) / sizeof(*details); i++)
		TRY(event_parse(list, sys, details[i]));
	return NULL;
}

struct strobe_error *counter_defaults(struct event_list *list, const struct sys *sys, bool system_wide, unsigned detail)
{
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addf(&text, "%s,context-switches,cpu-migrations,page-faults,cycles",
		    system_wide ? "cpu-clock" : "task-clock");
	/* Where the CPU's PMU does not name them, the kernel would refuse them or count something else. */
	if (sys_exists(sys, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-frontend"))
		strbuf_addstr(&text, ",stalled-cycles-frontend");
	if (sys_exists(sys, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-backend"))
		strbuf_addstr(&text, ",stalled-cycles-backend");
	strbuf_addstr(&text, ",instructions,branches,branch-misses");
	TRY(event_parse(list, sys, strbuf_str(&text)));
	return counter_defaults_detail(list, sys, detail);
}

/* What stands behind "cpu_core/" in the name of such an event; NULL for others. */
static const char *name_on_core(const struct event *e)
{
	size_t n = e->pmu ? strlen(e->pmu) : 0;
	return n && text_has_prefix(e->pmu, "cpu_") && !strncmp(e->name, e->pmu, n) && e->name[n] == '/' ? e->name + n + 1 : NULL;
}

/* "cycles/" and "cycles/u" are "cycles" and "cycles:u" to the user. */
static const char *bare_name(struct event_list *list, const char *on_core)
{
	size_t n = strcspn(on_core, "/");
	const char *modifiers = on_core[n] ? on_core + n + 1 : "";
	return arena_printf(&list->arena, "%.*s%s%s", (int)n, on_core, *modifiers ? ":" : "", modifiers);
}

void counter_merge_hybrid(struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++) {
		const char *name = name_on_core(&list->events.data[i]), *of_other;
		bool found = false;
		for (size_t k = i + 1; name && k < list->events.len; k++) {
			struct event *other = &list->events.data[k];
			of_other = name_on_core(other);
			if (!of_other || strcmp(name, of_other) != 0 || !strcmp(other->pmu, list->events.data[i].pmu))
				continue;
			other->name = bare_name(list, of_other);
			other->merge = found = true;
		}
		if (found) {
			list->events.data[i].name = bare_name(list, name);
			list->events.data[i].merge = true;
		}
	}
}
