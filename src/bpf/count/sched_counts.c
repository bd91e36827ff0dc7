#include "bpf/count/sched_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/vector.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"

#if HAVE_BPF_PROGRAMS
#include "sched_counts.inc"
#else
static const struct bpf_image sched_counts_image;
#endif

#define TARGETS_MAX 65536

struct tids {
	VEC(uint32_t) of;
};

struct sched_counts {
	const struct sys *sys;
	struct bpf_loaded *loaded;
	struct sched_counts_control *control;
};

static struct strobe_error *load(struct sched_counts *c, const struct sched_counts_options *o)
{
	static const char *const but_targets[] = { "follow_fork", "forget_task", NULL };
	const struct sched_counts_settings settings = { .by_target = o->by_target, .by_thread = o->by_thread };
	const struct bpf_map_size sizes[] = {
		{ "tasks", o->entries, 0 },
		{ "ended", o->by_thread ? o->entries : o->entries / 4 + 1, 0 },
		{ "targets", o->by_target ? TARGETS_MAX : 1, 0 },
		{},
	};
	struct bpf_load_options options = {
		.sys = o->sys,
		.image = &sched_counts_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
		.sizes = sizes,
		.without = o->by_target ? NULL : but_targets,
	};
	void *memory;
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	if (!bpf_kernel_is_since(o->sys, 5, 18))
		return error_create(ERROR_UNSUPPORTED, "aggregation in the kernel requires Linux 5.18: use 'sched record', then -i");
	TRY(bpf_check_pid_namespace(o->sys));
	TRY(bpf_load(&options, &c->loaded));
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &memory));
	c->control = memory;
	return bpf_attach(c->loaded);
}

struct strobe_error *sched_counts_open(const struct sched_counts_options *o, struct sched_counts **ret)
{
	struct sched_counts *c = xcalloc(1, sizeof(*c));
	c->sys = o->sys;
	struct strobe_error *err = load(c, o);
	if (err) {
		sched_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void sched_counts_close(struct sched_counts *c)
{
	if (!c)
		return;
	bpf_unload(c->loaded);
	free(c);
}

struct strobe_error *sched_counts_add_target(struct sched_counts *c, uint32_t tid)
{
	uint32_t one = 1;
	return bpf_map_set(bpf_map_of(c->loaded, "targets"), &tid, &one);
}

static void begin_period(struct sched_counts *c, uint64_t now_ns)
{
	uint64_t period = c->control->period + 1;
	__atomic_store_n(&c->control->starts_ns[period & 1], now_ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->control->period, period, __ATOMIC_SEQ_CST);
}

void sched_counts_begin(struct sched_counts *c)
{
	begin_period(c, sys_clock_ns(c->sys, CLOCK_MONOTONIC));
	__atomic_store_n(&c->control->enabled, 1, __ATOMIC_SEQ_CST);
}

/* ---- reading ---- */

struct reading {
	uint64_t period, start_ns, end_ns;
	void (*fn)(void *ctx, const struct sched_count *n);
	void *ctx;
};

static void give(const struct reading *r, const struct sched_counts_sums *s, const char *comm, uint32_t tid, uint32_t tasks)
{
	char name[17] = "";
	memcpy(name, comm, 16);
	const struct sched_count n = { .tid = tid, .tasks = tasks, .comm = name, .sum = &s->sums[r->period & 1] };
	r->fn(r->ctx, &n);
}

/* The current state of a task counts for the period that has ended, up to the end of the period. */
static void give_task(const struct reading *r, struct sched_counts_task *t, uint32_t tid)
{
	struct sched_counts_sum *s = &t->sums.sums[r->period & 1];
	uint64_t start_ns = t->since_ns > r->start_ns ? t->since_ns : r->start_ns;
	bool is_of_it = t->sums.periods[r->period & 1] == r->period;
	if (!is_of_it)
		memset(s, 0, sizeof(*s));
	if (r->end_ns > start_ns && t->state < SCHED_COUNTS_DEAD)
		s->ns[t->state] += r->end_ns - start_ns;
	if (is_of_it || t->state == SCHED_COUNTS_RUNNING)
		give(r, &t->sums, t->comm, tid, 1);
}

static int by_tid(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Each once: when the key given to it is removed meanwhile, the kernel starts again with the first one. */
static void list_tasks(int fd, struct tids *t)
{
	uint32_t tid, at;
	size_t n = 0;
	for (bool more = bpf_map_next(fd, NULL, &tid); more; at = tid, more = bpf_map_next(fd, &at, &tid))
		vec_push(&t->of, tid);
	if (t->of.len)
		qsort(t->of.data, t->of.len, sizeof(*t->of.data), by_tid);
	for (size_t i = 0; i < t->of.len; i++)
		if (!n || t->of.data[n - 1] != t->of.data[i])
			t->of.data[n++] = t->of.data[i];
	t->of.len = n;
}

static void read_tasks(struct sched_counts *c, const struct reading *r)
{
	_cleanup_free_ struct sched_counts_task *t = xcalloc(1, sizeof(*t));
	int fd = bpf_map_of(c->loaded, "tasks");
	struct tids tids = {};
	list_tasks(fd, &tids);
	for (size_t i = 0; i < tids.of.len; i++) {
		if (!bpf_map_get(fd, &tids.of.data[i], t))
			continue;
		give_task(r, t, tids.of.data[i]);
		if (t->state == SCHED_COUNTS_DEAD && t->sums.periods[(r->period + 1) & 1] != r->period + 1)
			bpf_map_unset(fd, &tids.of.data[i]);
	}
	vec_deinit(&tids.of);
}

static void read_ended(struct sched_counts *c, const struct reading *r)
{
	_cleanup_free_ struct sched_counts_sums *s = xcalloc(1, sizeof(*s));
	int fd = bpf_map_of(c->loaded, "ended");
	struct sched_counts_name name, at;
	for (bool more = bpf_map_next(fd, NULL, &name); more; at = name, more = bpf_map_next(fd, &at, &name))
		if (bpf_map_get(fd, &name, s) && s->periods[r->period & 1] == r->period)
			give(r, s, name.comm, s->sums[r->period & 1].last_tid, s->sums[r->period & 1].ended);
}

void sched_counts_read(struct sched_counts *c, void (*fn)(void *ctx, const struct sched_count *n), void *ctx)
{
	struct reading r = {
		.period = c->control->period,
		.start_ns = c->control->starts_ns[c->control->period & 1],
		.end_ns = sys_clock_ns(c->sys, CLOCK_MONOTONIC),
		.fn = fn,
		.ctx = ctx,
	};
	begin_period(c, r.end_ns);
	bpf_wait_for_programs();
	read_tasks(c, &r);
	read_ended(c, &r);
}

uint64_t sched_counts_lost(const struct sched_counts *c)
{
	return c->control->no_task + c->control->no_sum + c->control->unfollowed + bpf_runs_missed(c->loaded);
}
