#include "event/names.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/pmu.h"
#include "event/table_priv.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

typedef bool (*name_fn)(void *ctx, const struct event_name *name);

static bool each_symbol(enum event_kind kind, enum event_group group, name_fn fn, void *ctx)
{
	for (size_t i = 0; i < table_symbols_nr; i++) {
		const struct table_symbol *s = &table_symbols[i];
		struct event_name n = {
			.group = group, .name = s->name, .alias = s->alias, .type = s->type, .config = s->config
		};
		if (s->kind == kind && !fn(ctx, &n))
			return false;
	}
	return true;
}

static bool each_cache(name_fn fn, void *ctx)
{
	char name[32];
	struct event_name n = { .group = EVENT_GROUP_CACHE, .name = name, .type = PERF_TYPE_HW_CACHE };
	for (size_t i = 0; table_cache_name(i, name, sizeof(name), &n.config); i++)
		if (!fn(ctx, &n))
			return false;
	return true;
}

static bool each_pmu_event(struct pmu_set *set, name_fn fn, void *ctx)
{
	pmu_set_read(set);
	for (size_t i = 0; i < set->pmus.len; i++) {
		struct pmu *pmu = set->pmus.data[i];
		pmu_aliases(set, pmu);
		for (size_t k = 0; k < pmu->aliases.len; k++) {
			const struct pmu_alias *a = &pmu->aliases.data[k];
			_cleanup_free_ char *name = xasprintf("%s/%s/", pmu->name, a->name);
			struct event_name n = { .group = EVENT_GROUP_PMU,
						.name = name,
						.alias = a->name,
						.pmu = pmu->name,
						.terms = a->terms,
						.unit = a->unit,
						.scale = a->scale_text,
						.type = pmu->type };
			if (!fn(ctx, &n))
				return false;
		}
	}
	return true;
}

/* In the order of full names: the colon after a system is compared, too ("fib6:" before "fib:"). */
static int compare_systems(const void *pa, const void *pb)
{
	const char *a = *(char *const *)pa, *b = *(char *const *)pb;
	size_t i = 0;
	while (a[i] && a[i] == b[i])
		i++;
	return (a[i] ? (unsigned char)a[i] : ':') - (b[i] ? (unsigned char)b[i] : ':');
}

static struct strobe_error *each_tracepoint(const struct sys *sys, name_fn fn, void *ctx)
{
	_cleanup_free_ char *tracefs = NULL;
	TRY(sys_tracefs(sys, &tracefs));
	sys_names systems = {};
	struct strobe_error *err = tracepoint_systems(sys, tracefs, &systems);
	bool more = true;
	if (systems.len)
		qsort(systems.data, systems.len, sizeof(*systems.data), compare_systems);
	for (size_t i = 0; !err && more && i < systems.len; i++) {
		sys_names events = {};
		err = tracepoint_events(sys, tracefs, systems.data[i], &events);
		for (size_t k = 0; !err && more && k < events.len; k++) {
			_cleanup_free_ char *name = xasprintf("%s:%s", systems.data[i], events.data[k]);
			struct event_name n = { .group = EVENT_GROUP_TRACEPOINT,
						.name = name,
						.type = PERF_TYPE_TRACEPOINT };
			more = fn(ctx, &n);
		}
		sys_names_deinit(&events);
	}
	sys_names_deinit(&systems);
	return err;
}

struct strobe_error *event_names_each(const struct sys *sys, unsigned groups, name_fn fn, void *ctx)
{
	if ((groups & EVENT_GROUP_HARDWARE) && !each_symbol(EVENT_HARDWARE, EVENT_GROUP_HARDWARE, fn, ctx))
		return NULL;
	if ((groups & EVENT_GROUP_SOFTWARE) && !each_symbol(EVENT_SOFTWARE, EVENT_GROUP_SOFTWARE, fn, ctx))
		return NULL;
	if ((groups & EVENT_GROUP_TOOL) && !each_symbol(EVENT_TOOL, EVENT_GROUP_TOOL, fn, ctx))
		return NULL;
	if ((groups & EVENT_GROUP_CACHE) && !each_cache(fn, ctx))
		return NULL;
	if (groups & EVENT_GROUP_PMU) {
		struct pmu_set set;
		pmu_set_init(&set, sys);
		bool more = each_pmu_event(&set, fn, ctx);
		pmu_set_deinit(&set);
		if (!more)
			return NULL;
	}
	return groups & EVENT_GROUP_TRACEPOINT ? each_tracepoint(sys, fn, ctx) : NULL;
}
