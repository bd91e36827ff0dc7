#include <stdlib.h>

#include "base/mem.h"
#include "machine/machine_priv.h"

#define NAMESPACES_MAX 16

static struct thread_line *line_of(const struct machine *m, uint32_t tid)
{
	uint64_t *at = u64map_get(&m->thread_lines, tid);
	return at ? (struct thread_line *)(uintptr_t)*at : NULL;
}

static struct thread_history *thread_create(struct machine *m, uint32_t pid, uint32_t tid, uint64_t start_ns,
					    struct process *process)
{
	struct thread_line *line = line_of(m, tid);
	if (!line) {
		line = arena_new(&m->arena, struct thread_line);
		*u64map_put(&m->thread_lines, tid, NULL) = (uintptr_t)line;
	}
	struct thread_history *t = xcalloc(1, sizeof(*t));
	t->pub = (struct thread){
		.pid = pid,
		.tid = tid,
		.ppid = UINT32_MAX,
		.start_ns = start_ns,
		.end_ns = UINT64_MAX,
		.process = process,
	};
	vec_push_lean(&line->all, t);
	vec_push(&m->threads, t);
	return t;
}

struct thread_history *threads_copy(struct machine *m, const struct thread_history *old, struct process *process)
{
	struct thread_history *t = thread_create(m, old->pub.pid, old->pub.tid, old->pub.start_ns, process);
	t->pub = old->pub;
	t->pub.process = process;
	t->namespaces_nr = old->namespaces_nr;
	return t;
}

struct thread_history *thread_at(const struct machine *m, uint32_t tid, uint64_t time_ns, uint64_t *ret_from, uint64_t *ret_until)
{
	*ret_from = 0;
	*ret_until = UINT64_MAX;
	const struct thread_line *line = line_of(m, tid);
	if (!line)
		return NULL;
	size_t after = vec_search(&line->all, t, (*t)->pub.start_ns <= time_ns);
	if (after < line->all.len)
		*ret_until = line->all.data[after]->pub.start_ns;
	if (!after)
		return NULL;
	*ret_from = line->all.data[after - 1]->pub.start_ns;
	return line->all.data[after - 1];
}

/* The latest with this tid; created if no record mentions its start: it existed before the recording. */
static struct thread_history *latest(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct thread_line *line = line_of(m, tid);
	if (line) {
		struct thread_history *t = vec_last(&line->all);
		/* A different pid means another task, whose FORK was lost. */
		if (t->pub.pid == pid || pid == UINT32_MAX || tid == 0)
			return t;
		return thread_create(m, pid, tid, time_ns, process_latest(m, pid));
	}
	return thread_create(m, pid, tid, 0, process_latest(m, pid));
}

static void push_comm(struct thread_history *t, uint64_t time_ns, str_id comm, bool exec)
{
	struct comm_version c = { .from_ns = time_ns, .comm = comm };
	if (t->comms.len && vec_last(&t->comms).comm == comm && !exec)
		return;
	vec_push_lean(&t->comms, c);
}

void threads_comm(struct machine *m, const struct record_comm *r, uint64_t time_ns)
{
	struct thread_history *t = latest(m, r->pid, r->tid, time_ns);
	push_comm(t, time_ns, strtab_add(&m->strings, r->comm), r->exec);
	if (r->exec && t->pub.process)
		process_exec(m, t->pub.process, time_ns);
}

void threads_fork(struct machine *m, const struct record_task *r, bool clone_maps, uint64_t time_ns)
{
	if (r->tid == 0)
		return; /* the idle task of a CPU that came up */
	/* Adds a parent that no other record mentions, since lists of tasks show parents. */
	struct thread_history *parent = latest(m, r->ppid, r->ptid, time_ns);
	struct process *process;
	if (r->pid == r->ppid && r->pid != r->tid) {
		process = process_latest(m, r->pid);
	} else {
		struct process *from = NULL;
		if (clone_maps)
			from = parent->pub.pid == r->ppid ? parent->pub.process : process_at(m, r->ppid, time_ns, NULL);
		process = process_create(m, r->pid, time_ns, from);
		processes_add(m, process);
	}
	struct thread_history *t = thread_create(m, r->pid, r->tid, time_ns, process);
	t->pub.ppid = r->ppid;
	if (parent->comms.len)
		push_comm(t, time_ns, vec_last(&parent->comms).comm, false);
	t->namespaces = parent->namespaces;
	t->namespaces_nr = parent->namespaces_nr;
}

void threads_exit(struct machine *m, const struct record_task *r, uint64_t time_ns)
{
	if (!line_of(m, r->tid))
		return; /* only its end is known: no sample of it can follow */
	/* Ignore the ppid: it may have changed, and lists of tasks show the task that started it. */
	latest(m, r->pid, r->tid, time_ns)->pub.end_ns = time_ns;
}

void threads_namespaces(struct machine *m, const struct record_namespaces *r, uint64_t time_ns)
{
	struct thread_history *t = latest(m, r->pid, r->tid, time_ns);
	uint64_t nr = r->nr < NAMESPACES_MAX ? r->nr : NAMESPACES_MAX;
	t->namespaces = arena_memdup(&m->arena, r->links, nr * sizeof(*r->links));
	t->namespaces_nr = (uint32_t)nr;
}

struct process *threads_process(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return latest(m, pid, tid, time_ns)->pub.process;
}

void threads_add_idle(struct machine *m)
{
	struct thread_history *t = thread_create(m, 0, 0, 0, process_latest(m, 0));
	t->pub.ppid = 0;
	push_comm(t, 0, strtab_add(&m->strings, "swapper"), false);
}

static void history_free(struct thread_history *t)
{
	vec_deinit(&t->comms);
	free(t);
}

void threads_deinit(struct machine *m)
{
	for (size_t i = 0; m->thread_lines.slots && i <= m->thread_lines.mask; i++) {
		if (m->thread_lines.slots[i].used) {
			struct thread_line *line = (struct thread_line *)(uintptr_t)m->thread_lines.slots[i].value;
			vec_deinit(&line->all);
		}
	}
	u64map_deinit(&m->thread_lines);
	for (size_t i = 0; i < m->threads.len; i++)
		history_free(m->threads.data[i]);
	vec_deinit(&m->threads);
	for (size_t i = 0; i < m->made_up.len; i++)
		history_free(m->made_up.data[i]);
	vec_deinit(&m->made_up);
}
