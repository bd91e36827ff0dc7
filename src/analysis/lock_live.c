#include "analysis/lock_live.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "bpf/count/lock_counts.h"
#include "capture/workload.h"
#include "sys/cgroups.h"
#include "sys/signals.h"

#define TICK_MS 100

struct lock_live {
	struct lock_live_request q;
	struct arena arena;
	struct lock_choice choice;
	VEC(uint64_t) cgroups; /* IDs of those that are chosen */
	struct symbols *symbols_of_kernel;
	struct lock_symbols symbols;
	struct lock_waits waits;
	struct lock_counts *counts;
	struct target_map targets;
	struct workload workload;
	struct signals signals;
};

static const struct mapped_file kernel_file = { .kind = MAPPED_KERNEL, .path = "[kernel.kallsyms]", .name = "[kernel.kallsyms]" };

/* ---- opening ---- */

static struct strobe_error *find_cgroups(struct lock_live *l)
{
	for (size_t i = 0; i < l->choice.cgroups.len; i++) {
		uint64_t id;
		TRY(sys_cgroup2_id(l->q.sys, l->choice.cgroups.data[i], &id));
		vec_push(&l->cgroups, id);
	}
	return NULL;
}

static struct strobe_error *open_counts(struct lock_live *l)
{
	static const enum lock_counts_by by[] = { [LOCK_BY_CALLER] = LOCK_COUNTS_BY_STACK, [LOCK_BY_THREAD] = LOCK_COUNTS_BY_THREAD,
						  [LOCK_BY_LOCK] = LOCK_COUNTS_BY_LOCK, [LOCK_BY_CGROUP] = LOCK_COUNTS_BY_CGROUP };
	const struct lock_question *q = &l->q.question;
	struct lock_counts_options o = {
		.sys = l->q.sys,
		.by = by[q->by],
		.by_owner = q->by_owner,
		.by_target = !l->targets.system_wide,
		.cpus = l->targets.system_wide ? l->q.target.cpus : NULL,
		.frames = (uint32_t)q->max_stack,
		.skip = (uint32_t)q->skip,
		.locks = l->choice.addresses.data,
		.locks_nr = (uint32_t)l->choice.addresses.len,
		.cgroups = l->cgroups.data,
		.cgroups_nr = (uint32_t)l->cgroups.len,
		.entries = (uint32_t)l->q.entries,
	};
	for (size_t i = 0; i < l->choice.kinds.len; i++)
		o.kinds |= 1ULL << (l->choice.kinds.data[i] & 63);
	TRY(lock_counts_open(&o, &l->counts));
	for (size_t i = 0; o.by_target && i < l->targets.threads.len; i++)
		TRY(lock_counts_add_target(l->counts, (uint32_t)l->targets.threads.data[i].tid));
	return NULL;
}

static struct strobe_error *open_all(struct lock_live *l)
{
	static const int more[] = { SIGCHLD, 0 };
	TRY(lock_choice_parse(&l->q.question, &l->choice));
	l->symbols_of_kernel = symbols_create(NULL, l->q.symbols);
	lock_symbols_load(&l->symbols, symbols_dso(l->symbols_of_kernel, &kernel_file));
	TRY(lock_choice_find(&l->choice, &l->symbols));
	TRY(find_cgroups(l));
	TRY(signals_open(&l->signals, more));
	if (l->q.command)
		TRY(workload_fork(l->q.command, workload_options_of(&l->signals), &l->workload));
	TRY(target_resolve(l->q.sys, &l->q.target, l->workload.pid, &l->targets));
	return open_counts(l);
}

/* ---- waiting ---- */

static bool is_over(struct lock_live *l)
{
	if (workload_is_over(&l->workload, &l->signals))
		return true;
	return !l->workload.pid && !l->targets.system_wide && !target_map_is_alive(&l->targets, l->q.sys);
}

static struct strobe_error *count(struct lock_live *l)
{
	lock_counts_enable(l->counts, true);
	if (l->workload.pid)
		TRY(workload_start(&l->workload));
	while (!is_over(l))
		signals_wait(&l->signals, TICK_MS);
	lock_counts_enable(l->counts, false);
	return NULL;
}

/* ---- reading ---- */

static const char *name_of(struct lock_live *l, uint64_t ip)
{
	const struct symbol *s = lock_symbols_at(&l->symbols, ip);
	if (!s)
		return NULL;
	return ip > s->start ? arena_printf(&l->arena, "%s+%#" PRIx64, s->raw_name, ip - s->start) : s->raw_name;
}

/*
 * The key and name of a caller with its callers. Separate for each type of lock: a function may wait for a semaphore and for the spinlock
 * in it.
 */
static uint64_t find_caller(struct lock_live *l, const struct lock_count *n, const char **ret)
{
	uint64_t key = hash_u64(n->sum->flags & LOCK_TYPE_MASK);
	*ret = NULL;
	for (uint32_t i = 0; i < n->stack_nr; i++) {
		if (lock_symbols_is_lock(&l->symbols, n->stack[i]))
			continue;
		key = hash_combine(key, n->stack[i]);
		if (!*ret)
			*ret = name_of(l, n->stack[i]);
	}
	*ret = *ret ? *ret : "Unknown";
	return key;
}

static void take_sum(struct lock_stat *s, const struct lock_sum *sum)
{
	s->contended += sum->count;
	s->acquired += sum->count;
	s->total_ns += sum->total_ns;
	s->max_ns = sum->max_ns > s->max_ns ? sum->max_ns : s->max_ns;
	s->min_ns = sum->min_ns < s->min_ns ? sum->min_ns : s->min_ns;
	s->average_ns = s->contended ? s->total_ns / s->contended : 0;
}

/* Of what its row is about; NULL: it has no name. */
static const char *name_of_row(struct lock_live *l, const struct lock_count *n, const char *caller)
{
	if (l->q.question.by == LOCK_BY_CALLER)
		return caller;
	if (l->q.question.by == LOCK_BY_CGROUP) {
		_cleanup_free_ char *path = sys_cgroup2_path(l->q.sys, n->of);
		return arena_strdup(&l->arena, path);
	}
	const struct symbol *lock = lock_symbols_at(&l->symbols, n->sum->lock);
	return lock ? lock->raw_name : "";
}

static void take_count(void *ctx, const struct lock_count *n)
{
	struct lock_live *l = ctx;
	const char *caller;
	bool is_new, by_caller = l->q.question.by == LOCK_BY_CALLER;
	uint64_t key = find_caller(l, n, &caller);
	if (!lock_choice_has_stack(&l->choice, &l->symbols, n->stack, n->stack_nr))
		return;
	size_t stat = lock_waits_stat(&l->waits, by_caller ? key : n->of, &is_new);
	struct lock_stat *s = &l->waits.stats.data[stat];
	if (is_new) {
		s->address = n->sum->lock;
		s->flags = n->sum->flags;
		s->name = name_of_row(l, n, caller);
		s->stack = arena_memdup(&l->arena, n->stack, n->stack_nr * sizeof(*n->stack));
		s->stack_nr = n->stack_nr;
	}
	take_sum(s, n->sum);
}

/* ---- the whole ---- */

struct strobe_error *lock_live_run(const struct lock_live_request *q, struct lock_live **ret)
{
	struct lock_live *l = *ret = xcalloc(1, sizeof(*l));
	l->q = *q;
	l->signals = SIGNALS_NONE;
	struct strobe_error *err = open_all(l);
	if (!err)
		err = count(l);
	workload_end(&l->workload);
	signals_close(&l->signals);
	if (err)
		return err;
	lock_counts_read(l->counts, take_count, l);
	if (lock_counts_lost(l->counts))
		session_say(q->host, "%" PRIu64 " waits were not counted, or have no stack: there was no room (-M), or they occurred "
			    "within BPF programs", lock_counts_lost(l->counts));
	return NULL;
}

void lock_live_destroy(struct lock_live *l)
{
	if (!l)
		return;
	lock_counts_close(l->counts);
	lock_waits_deinit(&l->waits);
	lock_choice_deinit(&l->choice);
	vec_deinit(&l->cgroups);
	target_map_deinit(&l->targets);
	symbols_destroy(l->symbols_of_kernel);
	arena_deinit(&l->arena);
	free(l);
}

const struct lock_waits *lock_live_waits(const struct lock_live *l)
{
	return &l->waits;
}

const struct lock_symbols *lock_live_symbols(const struct lock_live *l)
{
	return &l->symbols;
}

const char *lock_live_comm(struct lock_live *l, uint32_t tid)
{
	char comm[16];
	if (!tid)
		return "swapper";
	return lock_counts_comm(l->counts, tid, comm) ? arena_strdup(&l->arena, comm) : "";
}
