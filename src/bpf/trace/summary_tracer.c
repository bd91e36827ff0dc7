#include "bpf/trace/summary_tracer.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/trace/trace_funcs.h"
#include "bpf/trace/trace_maps.h"
#include "config.h"
#include "sys/cgroups.h"
#include "sys/cpus.h"
#include "sys/tasks.h"
#if HAVE_BPF_PROGRAMS
#include "trace_summary.inc"
#else
static const struct bpf_image trace_summary_image;
#endif

/* Pairs of a row and an errno. */
#define ERRNOS_MAX 65536

static const struct trace_func_programs func_programs = { "count_func_enter", "count_func_return", "count_func_exit", "count_kernel_enter",
							  "count_kernel_return" };
/* CPUs are spread over several rows of a function, up to this much memory for all. */
#define FUNC_ROWS_BYTES (32u << 20)
#define FUNC_SPREAD_MAX 64

struct summary_tracer {
	struct bpf_loaded *loaded;
	enum syscall_stats_by by;
	bool errnos, sched;
	const struct sys *sys;
	struct trace_control *control;
	const struct trace_row *rows;
	const struct trace_thread *threads;
	const struct trace_func_row *funcs; /* or NULL */
	uint32_t funcs_nr, funcs_spread;
};

/* The number of rows per function - 1: one per CPU, or as many as fit. */
static uint8_t func_spread(const struct trace_targets *t)
{
	uint32_t rows = 1, cpus = sys_cpus_possible_nr(t->sys);
	uint64_t bytes = t->funcs ? t->funcs->nr * sizeof(struct trace_func_row) : 0;
	while (bytes && rows < cpus && rows < FUNC_SPREAD_MAX && 2 * rows * bytes <= FUNC_ROWS_BYTES)
		rows *= 2;
	return (uint8_t)(rows - 1);
}

static struct strobe_error *fill_funcs(struct summary_tracer *s, const struct trace_targets *t)
{
	void *rows;
	if (!t->funcs)
		return NULL;
	s->funcs_nr = t->funcs->nr;
	s->funcs_spread = func_spread(t) + 1u;
	TRY(bpf_map_memory(s->loaded, "func_rows", sizeof(*s->funcs) * s->funcs_nr * s->funcs_spread, &rows));
	s->funcs = rows;
	return NULL;
}

static struct strobe_error *fill(struct summary_tracer *s, const struct trace_targets *t)
{
	void *bss, *rows, *threads;
	TRY(trace_targets_fill(t, s->loaded));
	TRY(bpf_map_memory(s->loaded, ".bss", sizeof(struct trace_control), &bss));
	TRY(bpf_map_memory(s->loaded, "rows", sizeof(struct trace_row) * TRACE_ROWS, &rows));
	TRY(bpf_map_memory(s->loaded, "threads", sizeof(struct trace_thread) * TRACE_THREADS, &threads));
	s->control = bss;
	s->rows = rows;
	s->threads = threads;
	trace_targets_control(t, s->control);
	return fill_funcs(s, t);
}

struct strobe_error *summary_tracer_open(const struct trace_targets *t, const struct summary_options *o,
					 struct summary_tracer **ret)
{
	TRY(trace_targets_check(t->sys));
	struct summary_tracer *s = xcalloc(1, sizeof(*s));
	struct trace_settings settings = { .by = (uint8_t)o->by, .errnos = o->errnos, .extras.sched = o->sched };
	trace_targets_settings(t, &settings);
	settings.func_spread = func_spread(t);
	const struct bpf_map_size sizes[] = {
		{ "cpus", sys_cpus_possible_nr(t->sys), 0 },
		{ "targets", trace_targets_room(t), 0 },
		{ "errnos", o->errnos ? ERRNOS_MAX : 1, 0 },
		{ "func_rows", t->funcs ? t->funcs->nr * (settings.func_spread + 1) : 1, 0 },
		{},
	};
	const char *without[10] = {};
	size_t n = trace_funcs_without(t->funcs, &func_programs, without);
	if (!trace_targets_have_calls(t)) {
		without[n++] = "trace_enter";
		without[n++] = "trace_exit";
	}
	if (!t->inherit || t->map->system_wide)
		without[n++] = "trace_fork";
	if (!o->sched)
		without[n++] = "trace_switch";
	struct bpf_load_options load = {
		.sys = t->sys,
		.image = &trace_summary_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
		.sizes = sizes,
		.without = without,
	};
	s->by = o->by;
	s->errnos = o->errnos;
	s->sched = o->sched;
	s->sys = t->sys;
	struct strobe_error *err = bpf_load(&load, &s->loaded);
	if (!err)
		err = fill(s, t);
	if (!err)
		err = bpf_attach(s->loaded);
	if (!err)
		err = trace_funcs_attach(t, &func_programs, s->loaded);
	if (err) {
		summary_tracer_close(s);
		return err;
	}
	summary_tracer_enable(s, t->starts_enabled);
	*ret = s;
	return NULL;
}

void summary_tracer_enable(struct summary_tracer *s, bool on)
{
	__atomic_store_n(&s->control->enabled, on, __ATOMIC_SEQ_CST);
}

void summary_tracer_stop(struct summary_tracer *s)
{
	bpf_detach(s->loaded);
}

struct trace_func_row summary_tracer_func(const struct summary_tracer *s, uint32_t func)
{
	struct trace_func_row sum = {};
	for (uint32_t i = 0; i < s->funcs_spread; i++) {
		const struct trace_func_row *r = &s->funcs[func * s->funcs_spread + i];
		sum.calls += r->calls;
		sum.returns += r->returns;
		sum.total_ns += r->total_ns;
		sum.max_ns = r->max_ns > sum.max_ns ? r->max_ns : sum.max_ns;
		for (unsigned k = 0; k < TRACE_FUNC_SLOTS; k++)
			sum.slot[k] += r->slot[k];
	}
	return sum;
}

void summary_tracer_dump(const struct summary_tracer *s, const char *map, struct out *out)
{
	trace_map_dump(s->loaded, TRACE_MAPS_SUMMARY, map, out);
}

void summary_tracer_close(struct summary_tracer *s)
{
	if (!s)
		return;
	bpf_unload(s->loaded);
	free(s);
}

/* --- reading --- */

struct reading {
	struct summary_tracer *s;
	const char *(*name)(void *ctx, uint32_t call);
	void *ctx;
	struct syscall_stats *stats;
	uint32_t *thread_of; /* by the kernel's index: ours + 1 */
	uint32_t others;     /* ours + 1 */
	struct u64map cgroups;
};

static uint32_t thread_of_cgroup(struct reading *r, const struct trace_thread *t)
{
	bool is_new;
	uint64_t *at = u64map_put(&r->cgroups, t->cgroup, &is_new);
	if (is_new) {
		_cleanup_free_ char *path = sys_cgroup2_path(r->s->sys, t->cgroup);
		*at = syscall_stats_thread(r->stats, 0, 0, "", path);
	}
	return (uint32_t)*at;
}

/* From when the thread was first seen up to its end, or to now if it still runs. */
static void read_sched(struct reading *r, const struct trace_thread *t, struct syscall_thread *row)
{
	uint64_t ran = t->ran_ns, waited = t->waited_ns;
	if (!r->s->sched || r->s->by != SYSCALL_STATS_BY_THREAD)
		return;
	row->has_sched = t->gone || sys_task_times(r->s->sys, (pid_t)t->tid, &ran, &waited);
	row->ran_ns = ran > t->ran_before_ns ? ran - t->ran_before_ns : 0;
	row->waited_ns = waited > t->waited_before_ns ? waited - t->waited_before_ns : 0;
}

static uint32_t thread_of(struct reading *r, uint32_t index)
{
	if (index == TRACE_THREAD_NONE || index >= TRACE_THREADS) {
		if (!r->others) {
			bool all = r->s->by == SYSCALL_STATS_BY_NOTHING;
			r->others = syscall_stats_thread(r->stats, 0, 0, all ? "" : "(others)", NULL) + 1;
			r->stats->threads.data[r->others - 1].is_others = !all;
		}
		return r->others - 1;
	}
	if (!r->thread_of[index]) {
		const struct trace_thread *t = &r->s->threads[index];
		char comm[sizeof(t->comm) + 1] = {};
		memcpy(comm, t->comm, sizeof(t->comm));
		r->thread_of[index] = r->s->by == SYSCALL_STATS_BY_CGROUP ? thread_of_cgroup(r, t) + 1 :
				      syscall_stats_thread(r->stats, t->tid, t->pid, comm, NULL) + 1;
		r->stats->threads.data[r->thread_of[index] - 1].events += t->halves;
		read_sched(r, t, &r->stats->threads.data[r->thread_of[index] - 1]);
	}
	return r->thread_of[index] - 1;
}

static struct syscall_stat *row_in_stats(struct reading *r, uint32_t index)
{
	const struct trace_row *from = &r->s->rows[index];
	return syscall_stats_row(r->stats, thread_of(r, from->thread), from->call, r->name(r->ctx, from->call));
}

/* Calls that did not return; thread as in the rows. */
static void add_ended(struct reading *r, uint32_t thread, uint32_t call, uint64_t calls)
{
	struct syscall_stat *row = syscall_stats_row(r->stats, thread_of(r, thread), call, r->name(r->ctx, call));
	row->never_returns = true;
	row->calls += calls;
	row->slot[0] += calls;
}

static void read_ended(struct reading *r)
{
	const struct trace_control *c = r->s->control;
	for (uint32_t i = 0; i < c->threads && i < TRACE_THREADS; i++)
		if (r->s->threads[i].last_call)
			add_ended(r, i, r->s->threads[i].last_call - 1, 1);
	for (uint32_t call = 0; call < TRACE_CALLS; call++)
		if (c->ended[call])
			add_ended(r, TRACE_THREAD_NONE, call, c->ended[call]);
}

static void read_row(struct reading *r, uint32_t index)
{
	const struct trace_row *from = &r->s->rows[index];
	if (!from->calls)
		return;
	struct syscall_stat row = {
		.calls = from->calls,
		.errors = from->errors,
		.total_ns = from->total_ns,
		.min_ns = from->min_ns,
		.max_ns = from->max_ns,
		.squares = (long double)from->squares[1] * 18446744073709551616.0L + (long double)from->squares[0],
	};
	for (unsigned i = 0; i < TRACE_SLOTS; i++)
		row.slot[i] = from->slot[i];
	syscall_stat_merge(row_in_stats(r, index), &row);
}

static void read_errnos(struct reading *r)
{
	int fd = bpf_map_of(r->s->loaded, "errnos");
	struct trace_errno_key key, *last = NULL, next;
	uint64_t calls;
	for (; bpf_map_next(fd, last, &next); last = &key) {
		key = next;
		if (key.row < TRACE_ROWS && bpf_map_get(fd, &key, &calls))
			syscall_stat_add_errno(row_in_stats(r, key.row), key.errnum, calls);
	}
}

struct strobe_error *summary_tracer_read(struct summary_tracer *s, const char *(*name)(void *ctx, uint32_t call), void *ctx,
					 struct syscall_stats *ret)
{
	const struct trace_control *c = s->control;
	struct reading r = { .s = s, .name = name, .ctx = ctx, .stats = ret };
	r.thread_of = xcalloc(TRACE_THREADS, sizeof(*r.thread_of));
	ret->by = s->by;
	for (uint32_t i = 0; i < c->rows && i < TRACE_ROW_OTHERS; i++)
		read_row(&r, i);
	for (uint32_t i = 0; i < c->rows_others && i < TRACE_ROWS_OTHERS; i++)
		read_row(&r, TRACE_ROW_OTHERS + i);
	read_ended(&r);
	if (s->errnos)
		read_errnos(&r);
	syscall_stats_finish(ret);
	free(r.thread_of);
	u64map_deinit(&r.cgroups);
	uint64_t missed = c->dropped + bpf_runs_missed(s->loaded);
	if (missed)
		log_warn("%llu calls were not counted: no room in the kernel's tables", (unsigned long long)missed);
	if (c->lost_others)
		log_warn("%llu errors were not counted by number: no room in the kernel's tables", (unsigned long long)c->lost_others);
	if (c->unfollowed)
		log_warn("%llu tasks could not be followed: the kernel had no memory", (unsigned long long)c->unfollowed);
	return NULL;
}
