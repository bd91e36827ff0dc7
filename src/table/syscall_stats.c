#include "table/syscall_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void syscall_stats_deinit(struct syscall_stats *s)
{
	for (size_t i = 0; i < s->threads.len; i++) {
		struct syscall_thread *t = &s->threads.data[i];
		for (size_t k = 0; k < t->rows.len; k++) {
			vec_deinit(&t->rows.data[k].errnos);
			vec_deinit(&t->rows.data[k].stacks);
			u64map_deinit(&t->rows.data[k].stack_index);
		}
		vec_deinit(&t->rows);
		u64map_deinit(&t->index);
	}
	vec_deinit(&s->threads);
	arena_deinit(&s->arena);
}

uint32_t syscall_stats_thread(struct syscall_stats *s, uint32_t tid, uint32_t pid, const char *comm, const char *cgroup)
{
	struct syscall_thread t = { .tid = tid, .pid = pid, .comm = arena_strdup(&s->arena, comm) };
	if (cgroup)
		t.cgroup = arena_strdup(&s->arena, cgroup);
	vec_push(&s->threads, t);
	return (uint32_t)s->threads.len - 1;
}

void syscall_stats_rename(struct syscall_stats *s, uint32_t thread, const char *comm)
{
	struct syscall_thread *t = &s->threads.data[thread];
	if (strcmp(t->comm, comm) != 0)
		t->comm = arena_strdup(&s->arena, comm);
}

struct syscall_stat *syscall_stats_row(struct syscall_stats *s, uint32_t thread, uint32_t call, const char *name)
{
	struct syscall_thread *t = &s->threads.data[thread];
	bool is_new;
	uint64_t *at = u64map_put(&t->index, call, &is_new);
	if (is_new) {
		*at = t->rows.len;
		vec_push(&t->rows, ((struct syscall_stat){ .call = call, .name = name }));
	}
	return &t->rows.data[*at];
}

void syscall_stat_add_errno(struct syscall_stat *row, uint32_t errnum, uint64_t calls)
{
	for (size_t i = 0; i < row->errnos.len; i++) {
		if (row->errnos.data[i].errnum == errnum) {
			row->errnos.data[i].calls += calls;
			return;
		}
	}
	vec_push(&row->errnos, ((struct syscall_errno_count){ errnum, calls }));
}

static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns ? 63 - (unsigned)__builtin_clzll(ns) : 0;
	return slot < SYSCALL_STATS_SLOTS ? slot : SYSCALL_STATS_SLOTS - 1;
}

void syscall_stat_add(struct syscall_stat *row, uint64_t ns, uint32_t errnum)
{
	if (!row->calls || ns < row->min_ns)
		row->min_ns = ns;
	if (ns > row->max_ns)
		row->max_ns = ns;
	row->calls++;
	row->total_ns += ns;
	row->squares += (long double)ns * (long double)ns;
	row->slot[slot_of(ns)]++;
	if (errnum) {
		row->errors++;
		syscall_stat_add_errno(row, errnum, 1);
	}
}

struct syscall_stack *syscall_stat_add_stack(struct syscall_stat *row, uint64_t key, uint64_t ns, bool is_error, bool *ret_new)
{
	uint64_t *at = u64map_put(&row->stack_index, key, ret_new);
	if (*ret_new) {
		*at = row->stacks.len;
		vec_push(&row->stacks, ((struct syscall_stack){}));
	}
	struct syscall_stack *s = &row->stacks.data[*at];
	s->calls++;
	s->errors += is_error;
	s->total_ns += ns;
	return s;
}

void syscall_stat_merge(struct syscall_stat *into, const struct syscall_stat *from)
{
	if (!from->calls)
		return;
	if (!into->calls || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->calls += from->calls;
	into->errors += from->errors;
	into->total_ns += from->total_ns;
	into->squares += from->squares;
	for (unsigned i = 0; i < SYSCALL_STATS_SLOTS; i++)
		into->slot[i] += from->slot[i];
	for (size_t i = 0; i < from->errnos.len; i++)
		syscall_stat_add_errno(into, from->errnos.data[i].errnum, from->errnos.data[i].calls);
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct syscall_stat *a = pa, *b = pb;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->call < b->call ? -1 : a->call > b->call;
}

static int compare_threads(const void *pa, const void *pb)
{
	const struct syscall_thread *a = pa, *b = pb;
	if (a->events != b->events)
		return a->events < b->events ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int compare_stacks(const void *pa, const void *pb)
{
	const struct syscall_stack *a = pa, *b = pb;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return a->calls < b->calls ? 1 : a->calls > b->calls ? -1 : 0;
}

static int compare_errnos(const void *pa, const void *pb)
{
	const struct syscall_errno_count *a = pa, *b = pb;
	return a->errnum < b->errnum ? -1 : a->errnum > b->errnum;
}

void syscall_stats_finish(struct syscall_stats *s)
{
	s->events = 0;
	for (size_t i = 0; i < s->threads.len; i++) {
		struct syscall_thread *t = &s->threads.data[i];
		for (size_t k = 0; k < t->rows.len; k++) {
			struct syscall_stat *row = &t->rows.data[k];
			t->events += (row->never_returns ? 1 : 2) * row->calls;
			if (row->stacks.len)
				qsort(row->stacks.data, row->stacks.len, sizeof(*row->stacks.data), compare_stacks);
			u64map_deinit(&row->stack_index);
			if (row->errnos.len)
				qsort(row->errnos.data, row->errnos.len, sizeof(*row->errnos.data), compare_errnos);
		}
		if (t->rows.len)
			qsort(t->rows.data, t->rows.len, sizeof(*t->rows.data), compare_rows);
		/* Its indexes are invalid after sorting. */
		u64map_deinit(&t->index);
		s->events += t->events;
	}
	if (s->threads.len)
		qsort(s->threads.data, s->threads.len, sizeof(*s->threads.data), compare_threads);
}

double syscall_stat_mean_ns(const struct syscall_stat *row)
{
	return row->calls ? (double)row->total_ns / (double)row->calls : 0;
}

double syscall_stat_error_percent(const struct syscall_stat *row)
{
	if (row->calls < 2 || !row->total_ns)
		return 0;
	long double n = row->calls, mean = (long double)row->total_ns / n;
	long double variance = (row->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? (double)(100 * sqrtl(variance / n) / mean) : 0;
}
