#include "analysis/schedstat/schedstat_fields.h"

#include <stddef.h>

const struct schedstat_field schedstat_cpu_fields[] = {
	{ SCHEDSTAT_COUNTER, "yld_count", "calls of sched_yield()", .at = 0 },
	{ SCHEDSTAT_COUNTER, "array_exp", "not used since Linux 2.6.23", .at = 1 },
	{ SCHEDSTAT_COUNTER, "sched_count", "calls of schedule()", .at = 2 },
	{ SCHEDSTAT_COUNTER, "sched_goidle", "calls of schedule() after which the CPU was idle", .at = 3, .has_base = true, .base = 2 },
	{ SCHEDSTAT_COUNTER, "ttwu_count", "wake-ups", .at = 4 },
	{ SCHEDSTAT_COUNTER, "ttwu_local", "wake-ups on the CPU of the waker", .at = 5, .has_base = true, .base = 4 },
	{ SCHEDSTAT_COUNTER, "rq_cpu_time", "time that tasks ran (ns)", .at = 6 },
	{ SCHEDSTAT_COUNTER, "run_delay", "time that tasks waited for the CPU (ns)", .at = 7, .has_base = true, .base = 6 },
	{ SCHEDSTAT_COUNTER, "pcount", "time slices", .at = 8 },
};
const unsigned schedstat_cpu_fields_nr = sizeof(schedstat_cpu_fields) / sizeof(*schedstat_cpu_fields);

struct part {
	const char *name, *meaning;
	bool has_interval;
	bool is_since_17, is_until_16;
};

/* Counters of each type of load balancing. */
static const struct part balancing[] = {
	{ "lb_count", "attempts to balance", true },
	{ "lb_balanced", "attempts that found no imbalance", true },
	{ "lb_failed", "attempts that moved no task", true },
	{ "lb_imbalance", "sum of imbalances", .is_until_16 = true },
	{ "lb_imbalance_load", "sum of imbalances of load", .is_since_17 = true },
	{ "lb_imbalance_util", "sum of imbalances of utilisation", .is_since_17 = true },
	{ "lb_imbalance_task", "sum of imbalances of the number of tasks", .is_since_17 = true },
	{ "lb_imbalance_misfit", "sum of imbalances of tasks too large for their CPU", .is_since_17 = true },
	{ "lb_gained", "tasks moved here", false },
	{ "lb_hot_gained", "tasks moved here although their cache was hot", false },
	{ "lb_nobusyq", "attempts that found no busier CPU", true },
	{ "lb_nobusyg", "attempts that found no busier group", true },
};

/* Other types: three counters each. */
static const struct {
	const char *heading;
	struct part parts[3];
} others[] = {
	{ "active_load_balance()", { { "alb_count", "attempts to push the running task away", false },
				     { "alb_failed", "attempts that moved no task", false },
				     { "alb_pushed", "tasks moved", false } } },
	{ "sched_balance_exec()", { { "sbe_count", "not used", false },
				    { "sbe_balanced", "not used", false },
				    { "sbe_pushed", "not used", false } } },
	{ "sched_balance_fork()", { { "sbf_count", "not used", false },
				    { "sbf_balanced", "not used", false },
				    { "sbf_pushed", "not used", false } } },
	{ NULL, { { "ttwu_wake_remote", "wake-ups of a task that ran on another CPU last", false },
		  { "ttwu_move_affine", "wake-ups that moved the task because its cache was cold", false },
		  { "ttwu_move_balance", "wake-ups that moved the task to balance", false } } },
};

/* The state of the balancing CPU; version 16 changed the order. */
static const char *const occasions[2][3] = { { "idle", "busy", "newidle" }, { "busy", "idle", "newidle" } };

struct maker {
	struct arena *arena;
	schedstat_fields *fields;
	unsigned next; /* counter */
};

static void add_heading(struct maker *m, const char *text)
{
	vec_push(m->fields, ((struct schedstat_field){ .kind = SCHEDSTAT_HEADING, .name = text }));
}

static void add_counter(struct maker *m, const struct part *p, const char *occasion)
{
	vec_push(m->fields, ((struct schedstat_field){
		.kind = SCHEDSTAT_COUNTER,
		.name = occasion ? arena_printf(m->arena, "%s_%s", occasion, p->name) : p->name,
		.meaning = occasion ? arena_printf(m->arena, "%s (%s CPU)", p->meaning, occasion) : p->meaning,
		.at = m->next++,
		.has_interval = p->has_interval,
	}));
}

static void add_derived(struct maker *m, enum schedstat_kind kind, const char *name, const char *meaning, unsigned at, unsigned pulled_at)
{
	vec_push(m->fields, ((struct schedstat_field){
		.kind = kind, .name = name, .meaning = meaning, .at = at, .pulled_at = pulled_at,
	}));
}

static void add_balancing(struct maker *m, uint32_t version, const char *occasion)
{
	unsigned first = m->next, pulled_at = 0;
	add_heading(m, arena_printf(m->arena, "<Category %s>", occasion));
	for (size_t i = 0; i < sizeof(balancing) / sizeof(*balancing); i++) {
		const struct part *p = &balancing[i];
		if (version < 17 ? p->is_since_17 : p->is_until_16)
			continue;
		if (p->name[3] == 'g') /* lb_gained */
			pulled_at = m->next;
		add_counter(m, p, occasion);
	}
	add_derived(m, SCHEDSTAT_SUCCESSES, arena_printf(m->arena, "%s_lb_success_count", occasion),
		    arena_printf(m->arena, "attempts that moved tasks (%s CPU)", occasion), first, 0);
	add_derived(m, SCHEDSTAT_MEAN_PULLED, arena_printf(m->arena, "%s_lb_avg_pulled", occasion),
		    arena_printf(m->arena, "tasks moved by each of these (%s CPU)", occasion), first, pulled_at);
}

void schedstat_domain_fields(uint32_t version, struct arena *arena, schedstat_fields *ret)
{
	struct maker m = { .arena = arena, .fields = ret };
	for (size_t i = 0; i < 3; i++)
		add_balancing(&m, version, occasions[version > 15][i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		add_heading(&m, others[i].heading ? arena_printf(arena, "<Category %s>", others[i].heading) : "<Wakeup Info>");
		for (size_t k = 0; k < 3; k++)
			add_counter(&m, &others[i].parts[k], NULL);
	}
}

double schedstat_value(const struct schedstat_field *f, const uint64_t *counters)
{
	const uint64_t *c = &counters[f->at];
	if (f->kind == SCHEDSTAT_COUNTER)
		return (double)*c;
	/* The kernel's counters have 32 bits, and so has what is derived from them. */
	uint32_t successes = (uint32_t)(c[0] - c[1] - c[2]);
	if (f->kind == SCHEDSTAT_SUCCESSES)
		return successes;
	return successes ? (double)counters[f->pulled_at] / successes : 0;
}
