#include "analysis/memory/access_events.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/pmu.h"

#define LOADS  "ldlat-loads"
#define STORES "ldlat-stores"
#define BOTH   "mem-ldst"

/* An event to be opened. */
struct access_event {
	const char *name, *text;
	bool loads, stores;
};

struct access_events {
	struct arena *arena;
	const struct access_choice *choice;
	VEC(struct access_event) list;
	bool has_spe;
};

static void add(struct access_events *e, struct access_event event)
{
	vec_push(&e->list, event);
}

/*
 * Of Intel and POWER. Some processors sample the latency of loads only while another event counts beside them (Sapphire Rapids); the
 * kernel offers that event where it is needed.
 */
static void add_precise(struct access_events *e, struct pmu_set *set, struct pmu *pmu)
{
	const char *latency = pmu_format(set, pmu, "ldlat") ? arena_printf(e->arena, ",ldlat=%" PRIu64, e->choice->latency) : "";
	const char *precise = *latency ? "P" : "", *name = pmu->name;
	const char *loads = arena_printf(e->arena, "%s/mem-loads%s/%s", name, latency, precise);
	if (pmu_alias(set, pmu, "mem-loads-aux", strlen("mem-loads-aux")))
		loads = arena_printf(e->arena, "{%s/mem-loads-aux/,%s/mem-loads%s/}:%s", name, name, latency, precise);
	if (pmu_alias(set, pmu, "mem-loads", strlen("mem-loads")))
		add(e, (struct access_event){ LOADS, loads, .loads = true });
	if (pmu_alias(set, pmu, "mem-stores", strlen("mem-stores")))
		add(e, (struct access_event){ STORES, arena_printf(e->arena, "%s/mem-stores/%s", name, precise), .stores = true });
}

/* AMD: samples operations; those that access memory have an address. */
static void add_ibs(struct access_events *e, struct pmu_set *set, struct pmu *pmu)
{
	bool by_latency = e->choice->latency_set && pmu_format(set, pmu, "ldlat");
	add(e, (struct access_event){
		BOTH, by_latency ? arena_printf(e->arena, "ibs_op/ldlat=%" PRIu64 "/", e->choice->latency) : "ibs_op//",
		.loads = true, .stores = true });
}

static void find(struct access_events *e, const struct sys *sys)
{
	struct pmu_set set;
	pmu_set_init(&set, sys);
	pmu_set_read(&set);
	for (size_t i = 0; i < set.pmus.len; i++) {
		struct pmu *pmu = set.pmus.data[i];
		if (!strcmp(pmu->name, "ibs_op"))
			add_ibs(e, &set, pmu);
		else if (text_has_prefix(pmu->name, "cpu"))
			add_precise(e, &set, pmu);
		e->has_spe |= text_has_prefix(pmu->name, "arm_spe_");
	}
	for (size_t i = 0; i < e->list.len; i++)
		e->list.data[i].text = arena_strdup(e->arena, e->list.data[i].text);
	pmu_set_deinit(&set);
}

static struct strobe_error *missing(const struct access_events *e)
{
	if (e->has_spe)
		return error_create(ERROR_UNSUPPORTED, "this machine samples memory accesses with Arm SPE, which strobe cannot "
			"record: record with perf, convert the traces with 'perf inject --itrace=M', and report that file");
	return error_with_check("memory-events", error_create(ERROR_UNSUPPORTED, "this machine has no event that samples memory accesses: "
		"neither PEBS (cpu/mem-loads/) nor IBS (ibs_op//) is in " PMU_DIR));
}

static bool is_chosen(const struct access_choice *c, const struct access_event *e)
{
	if (c->only)
		return !strcmp(c->only, e->name);
	return (c->loads && e->loads) || (c->stores && e->stores);
}

struct strobe_error *access_recorded_events(const struct sys *sys, const struct access_choice *choice, struct recorded_events *ret)
{
	struct access_events e = { .arena = ret->arena, .choice = choice };
	struct strobe_error *err = NULL;
	size_t before = ret->list.len;
	find(&e, sys);
	for (size_t i = 0; i < e.list.len; i++)
		if (is_chosen(choice, &e.list.data[i]))
			vec_push(&ret->list, e.list.data[i].text);
	if (!e.list.len)
		err = missing(&e);
	else if (ret->list.len == before && choice->only)
		err = error_create(ERROR_USAGE, "this machine has no memory event '%s': '-e list' lists those of this "
				"machine", choice->only);
	else if (ret->list.len == before)
		err = error_create(ERROR_UNSUPPORTED, "this machine does not sample %s", choice->loads ? "loads" : "stores");
	vec_deinit(&e.list);
	return err;
}

static void put_row(struct table *t, const char *name, const char *event, const char *what)
{
	table_row(t);
	table_set_text(t, 0, name);
	table_set_bool(t, 1, event);
	table_show(t, 1, "%s", event ? "yes" : "no");
	if (event)
		table_set_text(t, 2, event);
	table_set_text(t, 3, what);
}

void access_events_table(const struct sys *sys, struct table *ret)
{
	static const char *const names[][2] = {
		{ LOADS, "loads by latency (Intel, POWER)" }, { STORES, "stores (Intel, POWER)" }, { BOTH, "loads and stores (AMD)" },
	};
	const struct access_choice all = { .loads = true, .stores = true, .latency = ACCESS_LATENCY_DEFAULT };
	table_init(ret, "strobe-mem-events", 1);
	table_column(ret, (struct table_column){ .key = "name", .type = TABLE_TEXT });
	table_column(ret, (struct table_column){ .key = "available", .type = TABLE_BOOL });
	table_column(ret, (struct table_column){ .key = "event", .type = TABLE_TEXT });
	table_column(ret, (struct table_column){ .key = "samples", .type = TABLE_TEXT });
	struct access_events e = { .arena = &ret->arena, .choice = &all };
	find(&e, sys);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		bool any = false;
		for (size_t n = 0; n < e.list.len; n++)
			if (!strcmp(e.list.data[n].name, names[i][0])) {
				put_row(ret, names[i][0], e.list.data[n].text, names[i][1]);
				any = true;
			}
		if (!any)
			put_row(ret, names[i][0], NULL, names[i][1]);
	}
	vec_deinit(&e.list);
}

const char *access_sort_keys(struct arena *arena, const struct access_choice *choice, bool types, bool physical, bool page_size)
{
	if (choice->loads && !types && !physical && !page_size)
		return NULL;
	return arena_printf(arena, "%s%s%s",
			    types	  ? "mem,snoop,tlb,type" :
			    choice->loads ? "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked" :
					    "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked",
			    physical ? ",phys_daddr" : "", page_size ? ",data_page_size" : "");
}
