/* The default events of `strobe stat`, as in the newest perf. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
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

/*
 * In the order of the newest perf, which has these as metrics: software events by name, caches, the core's, TLBs. "stalled" events
 * require a file in sysfs: if the PMU of the CPU does not list them, the kernel refuses them or counts something else.
 */
static const struct default_event {
	unsigned detail; /* minimum level of -d */
	const char *names;
	bool stalled;
} default_events[] = {
	{ 1, "L1-dcache-loads,L1-dcache-load-misses" },
	{ 3, "L1-dcache-prefetches,L1-dcache-prefetch-misses" },
	{ 2, "L1-icache-loads,L1-icache-load-misses" },
	{ 1, "LLC-loads,LLC-load-misses" },
	{ 0, "branch-misses,branches,cpu-cycles,instructions" },
	{ 0, "stalled-cycles-frontend", true },
	{ 0, "stalled-cycles-backend", true },
	{ 2, "dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses" },
};

static bool is_there(const struct sys *sys, const struct default_event *e)
{
	_cleanup_free_ char *path = xasprintf("/sys/bus/event_source/devices/cpu/events/%s", e->names);
	return !e->stalled || sys_exists(sys, path);
}

struct strobe_error *counter_defaults(struct event_list *list, const struct sys *sys, bool system_wide, unsigned detail)
{
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addstr(&text, system_wide ? "context-switches,cpu-clock,cpu-migrations,page-faults" :
					   "context-switches,cpu-migrations,page-faults,task-clock");
	for (size_t i = 0; i < sizeof(default_events) / sizeof(*default_events); i++)
		if (default_events[i].detail <= detail && is_there(sys, &default_events[i]))
			strbuf_addf(&text, ",%s", default_events[i].names);
	TRY(event_parse(list, sys, strbuf_str(&text)));
	/* One line is enough to show that the machine lacks a PMU. */
	for (size_t i = 0; i < list->events.len; i++) {
		struct event *e = &list->events.data[i];
		e->may_lack = e->attr.type != PERF_TYPE_HARDWARE || (uint32_t)e->attr.config != PERF_COUNT_HW_CPU_CYCLES;
	}
	return NULL;
}

/* The text after "cpu_core/" in the name of such an event; NULL for others. */
static const char *name_on_core(const struct event *e)
{
	size_t n = e->pmu ? strlen(e->pmu) : 0;
	return n && text_has_prefix(e->pmu, "cpu_") && !strncmp(e->name, e->pmu, n) && e->name[n] == '/' ? e->name + n + 1 : NULL;
}

/* "cycles/" and "cycles/u" are shown as "cycles" and "cycles:u". */
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
