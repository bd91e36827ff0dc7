#include "counting/request.h"

/* Whether the target is whole CPUs. */
static bool is_of_cpus(const struct target *t)
{
	return t->system_wide || t->cpus;
}

static struct strobe_error *check_target(const struct measurement_request *r, const struct measurement_settings *m,
					 const struct event_list *events)
{
	const struct target *t = &r->target;
	bool has_tasks = r->has_command || t->pids || t->tids;
	bool by_cpu = m->tally.by != COUNTS_BY_NOTHING && m->tally.by != COUNTS_BY_THREAD;
	if (by_cpu && !is_of_cpus(t) && has_tasks)
		return error_create(ERROR_USAGE, "counts per CPU, core, cache, die, socket or node require -a or -C");
	if (r->per_thread && !t->pids && !t->tids && !t->system_wide && r->has_command)
		return error_create(ERROR_USAGE, "--per-thread requires existing threads: use -p, -t or -a, or no command");
	if (m->choice.for_each_cgroup && !is_of_cpus(t))
		return error_create(ERROR_USAGE, "--for-each-cgroup counts in cgroups of the whole system: add -a or -C");
	for (size_t i = 0; i < events->events.len; i++)
		if (events->events.data[i].cgroup && !is_of_cpus(t))
			return error_create(ERROR_USAGE, "-G counts in cgroups of the whole system: add -a or -C");
	return NULL;
}

static struct strobe_error *check_runs(const struct measurement_request *r, const struct counting_settings *c)
{
	if (c->interval_ms && r->runs != 1)
		return error_create(ERROR_USAGE, "-I and -r exclude each other");
	if (c->interval_count && !c->interval_ms)
		return error_create(ERROR_USAGE, "--interval-count requires -I");
	if (c->interval_count && c->timeout_ms)
		return error_create(ERROR_USAGE, "--interval-count and --timeout exclude each other");
	if (r->is_kept && r->runs != 1)
		return error_create(ERROR_USAGE, "stat record supports one run only: -r cannot be used");
	if (r->runs != 1 && !r->has_command)
		return error_create(ERROR_USAGE, "-r requires a command");
	return NULL;
}

static struct strobe_error *check_versus(const struct measurement_request *r, const struct measurement_settings *m)
{
	const struct counting_settings *c = &m->counting;
	if (!r->has_command)
		return error_create(ERROR_USAGE, "--vs requires two commands: --vs 'COMMAND' -- COMMAND");
	if (c->interval_ms || c->delay_ms || c->timeout_ms || c->control || m->choice.none || m->choice.metrics ||
	    m->tally.by != COUNTS_BY_NOTHING || m->exposition || r->is_kept)
		return error_create(ERROR_USAGE, "--vs can only be combined with -e, -d, -a, -C, -i, -r and output options");
	return NULL;
}

struct strobe_error *measurement_request_check(const struct measurement_request *r, const struct measurement_settings *m,
					       const struct event_list *events)
{
	if (m->counters.all_user && m->counters.all_kernel)
		return error_create(ERROR_USAGE, "--all-user and --all-kernel exclude each other");
	if (m->choice.topdown_level && !m->choice.topdown)
		return error_create(ERROR_USAGE, "--td-level requires --topdown");
	TRY(check_target(r, m, events));
	TRY(check_runs(r, &m->counting));
	return r->is_versus ? check_versus(r, m) : NULL;
}

void measurement_request_settle(struct measurement_request *r, struct measurement_settings *m)
{
	struct target *t = &r->target;
	if (target_is_none(t) && !r->has_command)
		t->system_wide = true;
	m->choice.metric.of_cpus = is_of_cpus(t);
	m->counters.start = target_is_none(t) && !m->counting.delay_ms ? COUNTER_START_ON_EXEC : COUNTER_START_CALLED;
	m->counters.bundle = true;
	m->counters.hold_tracepoints = r->runs != 1 || r->is_versus;
	m->all_threads = r->per_thread && !t->pids && !t->tids;
}
