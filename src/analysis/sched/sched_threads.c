#include "analysis/sched/sched_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sched_threads_init(struct sched_threads *t, bool forgets_exited)
{
	*t = (struct sched_threads){ .forgets_exited = forgets_exited };
	strtab_init(&t->names);
	sched_threads_name(t, sched_threads_find(t, 0, 0), "swapper", 7);
}

void sched_threads_deinit(struct sched_threads *t)
{
	vec_deinit(&t->threads);
	u64map_deinit(&t->by_tid);
	strtab_deinit(&t->names);
}

static const char *intern(struct sched_threads *t, const char *comm, size_t n)
{
	return strtab_get(&t->names, strtab_add_n(&t->names, comm, strnlen(comm, n)));
}

static uint32_t add_thread(struct sched_threads *t, uint32_t pid, uint32_t tid)
{
	char name[16];
	int n = snprintf(name, sizeof(name), ":%" PRId32, (int32_t)tid);
	const struct sched_thread new = { .tid = tid, .pid = pid, .ppid = SCHED_PID_UNKNOWN, .comm = intern(t, name, (size_t)n) };
	vec_push(&t->threads, new);
	return (uint32_t)t->threads.len - 1;
}

static uint32_t index_of(struct sched_threads *t, uint32_t pid, uint32_t tid)
{
	uint32_t slot = tid % SCHED_THREADS_RECENT;
	bool is_new;
	uint64_t *at = u64map_put(&t->by_tid, tid, &is_new);
	if (is_new)
		*at = add_thread(t, pid, tid);
	t->recent[slot].tid = tid;
	t->recent[slot].after = (uint32_t)*at + 1;
	return (uint32_t)*at;
}

uint32_t sched_threads_find_any(struct sched_threads *t, uint32_t pid, uint32_t tid)
{
	uint32_t index = index_of(t, pid, tid);
	struct sched_thread *thread = &t->threads.data[index];
	if (thread->pid == SCHED_PID_UNKNOWN)
		thread->pid = pid;
	return index;
}

void sched_threads_name(struct sched_threads *t, uint32_t thread, const char *comm, size_t n)
{
	struct sched_thread *at = &t->threads.data[thread];
	at->comm = intern(t, comm, n);
	at->has_comm = true;
}

static void forget(struct sched_threads *t, uint32_t tid)
{
	const uint64_t *at = u64map_get(&t->by_tid, tid);
	if (!at)
		return;
	t->threads.data[*at].has_exited = true;
	u64map_remove(&t->by_tid, tid);
	if (t->recent[tid % SCHED_THREADS_RECENT].tid == tid)
		t->recent[tid % SCHED_THREADS_RECENT].after = 0;
}

/* The child has its parent's name until it is renamed. */
static void fork_thread(struct sched_threads *t, const struct record_task *f)
{
	uint32_t parent = sched_threads_find(t, f->ppid, f->ptid);
	if (t->threads.data[parent].pid != f->ppid) {
		forget(t, f->ptid);
		parent = sched_threads_find(t, f->ppid, f->ptid);
	}
	forget(t, f->tid);
	uint32_t index = sched_threads_find(t, f->pid, f->tid);
	const struct sched_thread *from = &t->threads.data[parent];
	struct sched_thread *child = &t->threads.data[index];
	child->ppid = from->tid;
	if (!from->has_comm || index == parent)
		return;
	child->comm = from->comm;
	child->has_comm = true;
}

uint32_t sched_threads_record(struct sched_threads *t, struct record r)
{
	struct record_comm comm;
	struct record_task task;
	if (r.hdr->type == PERF_RECORD_COMM && record_decode_comm(r, &comm)) {
		uint32_t index = sched_threads_find(t, comm.pid, comm.tid);
		sched_threads_name(t, index, comm.comm, strlen(comm.comm));
		return index;
	}
	if (r.hdr->type == PERF_RECORD_FORK && record_decode_task(r, &task))
		fork_thread(t, &task);
	else if (r.hdr->type == PERF_RECORD_EXIT && t->forgets_exited && record_decode_task(r, &task))
		forget(t, task.tid);
	return UINT32_MAX;
}
