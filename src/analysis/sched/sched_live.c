#include "analysis/sched/sched_live.h"

#include <inttypes.h>
#include <string.h>

#include "bpf/count/sched_counts.h"
#include "capture/workload.h"
#include "sys/signals.h"

#define TICK_MS 100

struct sched_live {
	const struct sched_live_request *q;
	struct sched_counts *counts;
	struct target_map targets;
	struct workload workload;
	struct signals signals;
	struct sched_sums sums; /* of this interval */
	struct arena names;
};

_Static_assert(SCHED_COUNTS_DEAD == (int)TASK_DEAD && SCHED_COUNTS_STOPPED == (int)TASK_STOPPED, "states have the same numbers");

/* ---- opening ---- */

static struct strobe_error *open_all(struct sched_live *l)
{
	static const int more[] = { SIGCHLD, 0 };
	TRY(signals_open(&l->signals, more));
	if (l->q->command)
		TRY(workload_fork(l->q->command, workload_options_of(&l->signals), &l->workload));
	TRY(target_resolve(l->q->sys, &l->q->target, l->workload.pid, &l->targets));
	const struct sched_counts_options o = {
		.sys = l->q->sys,
		.by_target = !l->targets.system_wide,
		.by_thread = l->q->by_thread,
		.entries = l->q->entries,
	};
	TRY(sched_counts_open(&o, &l->counts));
	for (size_t i = 0; o.by_target && i < l->targets.threads.len; i++)
		TRY(sched_counts_add_target(l->counts, (uint32_t)l->targets.threads.data[i].tid));
	return NULL;
}

/* ---- reading ---- */

static void take_count(void *ctx, const struct sched_count *n)
{
	struct sched_live *l = ctx;
	struct sched_sum *s = sched_sums_add(&l->sums, arena_strdup(&l->names, n->comm), n->tid);
	s->threads = n->tasks;
	s->runtime_ns = n->sum->ns[TASK_RUNNING];
	s->count = n->sum->count;
	s->delay_ns = n->sum->delay_ns;
	s->max_ns = n->sum->max_ns;
	s->max_start_ns = n->sum->max_start_ns;
	s->max_end_ns = n->sum->max_end_ns;
	memcpy(s->ns, n->sum->ns, sizeof(s->ns));
	s->delays = arena_memdup(&l->sums.arena, n->sum->delays, sizeof(n->sum->delays));
}

static struct strobe_error *give(struct sched_live *l)
{
	l->sums = (struct sched_sums){ .has_states = true };
	sched_counts_read(l->counts, take_count, l);
	if (!l->q->by_thread)
		sched_sums_merge(&l->sums);
	sched_sums_sort(&l->sums, l->q->sort);
	struct strobe_error *err = l->q->give(l->q->ctx, &l->sums);
	sched_sums_deinit(&l->sums);
	arena_reset(&l->names);
	return err;
}

/* ---- waiting ---- */

static bool is_over(struct sched_live *l)
{
	if (workload_is_over(&l->workload, &l->signals))
		return true;
	return !l->workload.pid && !l->targets.system_wide && !target_map_is_alive(&l->targets, l->q->sys);
}

static struct strobe_error *count(struct sched_live *l)
{
	uint64_t step_ns = l->q->interval_ms * 1000000;
	sched_counts_begin(l->counts);
	uint64_t next_ns = sys_clock_ns(l->q->sys, CLOCK_MONOTONIC) + step_ns;
	if (l->workload.pid)
		TRY(workload_start(&l->workload));
	while (!is_over(l)) {
		uint64_t now_ns = sys_clock_ns(l->q->sys, CLOCK_MONOTONIC);
		if (step_ns && now_ns >= next_ns) {
			TRY(give(l));
			next_ns += step_ns;
		}
		uint64_t left_ms = step_ns && next_ns > now_ns ? (next_ns - now_ns) / 1000000 : TICK_MS;
		signals_wait(&l->signals, left_ms < TICK_MS ? (int)left_ms + 1 : TICK_MS);
	}
	return give(l);
}

struct strobe_error *sched_live_run(const struct sched_live_request *q)
{
	struct sched_live l = { .q = q, .signals = SIGNALS_NONE };
	struct strobe_error *err = open_all(&l);
	if (!err)
		err = count(&l);
	workload_end(&l.workload);
	signals_close(&l.signals);
	if (!err && sched_counts_lost(l.counts))
		session_say(q->host, "%" PRIu64 " events or tasks were not counted: there was no room for more tasks (-M), or they "
			    "occurred within BPF programs", sched_counts_lost(l.counts));
	sched_counts_close(l.counts);
	target_map_deinit(&l.targets);
	arena_deinit(&l.names);
	return err;
}
