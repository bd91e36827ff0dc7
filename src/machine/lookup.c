/*
 * Look-ups in the machine: bisection in histories, which are constant during look-ups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "machine/machine_priv.h"

static void get_ready(struct machine *m)
{
	if (m->pending.records.len || !m->was_read)
		machine_seal(m);
}

struct made_up_key {
	uint32_t pid, tid;
	struct process *process;
};

static bool made_up_eq(const void *table, uint32_t id, const void *key)
{
	const struct thread *t = &((const struct machine *)table)->made_up.data[id]->pub;
	const struct made_up_key *k = key;
	return t->pid == k->pid && t->tid == k->tid && t->process == k->process;
}

/* Adds a thread that only samples mention. It belongs to the process of its pid if that is known. */
static struct thread_history *make_up(struct machine *m, struct made_up_key k)
{
	uint64_t hash = hash_combine((uint64_t)k.pid << 32 | k.tid, (uintptr_t)k.process);
	pthread_mutex_lock(&m->lock);
	uint32_t id = idset_find(&m->made_up_index, hash, made_up_eq, m, &k);
	if (id == IDSET_NONE) {
		struct thread_history *t = xcalloc(1, sizeof(*t));
		t->pub = (struct thread){
			.pid = k.pid, .tid = k.tid, .ppid = UINT32_MAX, .end_ns = UINT64_MAX, .process = k.process
		};
		t->made_up = true;
		char name[16];
		snprintf(name, sizeof(name), ":%d", (int)k.tid);
		vec_push(&t->comms, ((struct comm_version){ .comm = strtab_add(&m->strings, name) }));
		id = (uint32_t)m->made_up.len;
		vec_push(&m->made_up, t);
		idset_insert(&m->made_up_index, hash, id);
	}
	struct thread_history *t = m->made_up.data[id];
	pthread_mutex_unlock(&m->lock);
	return t;
}

/* The history of a thread, and the time range around time_ns for which it is valid. */
static struct thread_history *find_thread(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns, uint64_t *ret_from,
					  uint64_t *ret_until)
{
	struct thread_history *t = thread_at(m, tid, time_ns, ret_from, ret_until);
	/* The kernel says -1 for a task that has exited; tid 0 is the idle task in every pid namespace. */
	if (t && (t->pub.pid == pid || pid == UINT32_MAX || t->pub.pid == UINT32_MAX || tid == 0))
		return t;
	uint64_t until;
	struct process *p = process_at(m, pid, time_ns, &until);
	if (p && p->start_ns > *ret_from)
		*ret_from = p->start_ns;
	if (until < *ret_until)
		*ret_until = until;
	return make_up(m, (struct made_up_key){ .pid = pid, .tid = tid, .process = p ? p : m->nowhere });
}

/* The name at that time; before the first known one, the first one. */
static size_t comm_index(const struct thread_history *t, uint64_t time_ns)
{
	size_t after = vec_search(&t->comms, comm, comm->from_ns <= time_ns);
	return after ? after - 1 : 0;
}

static str_id comm_of(struct machine *m, const struct thread_history *t, uint64_t time_ns, size_t *ret_index)
{
	if (t->comms.len) {
		*ret_index = comm_index(t, time_ns);
		return t->comms.data[*ret_index].comm;
	}
	*ret_index = 0;
	struct made_up_key k = { .pid = t->pub.pid, .tid = t->pub.tid, .process = t->pub.process };
	return make_up(m, k)->comms.data[0].comm;
}

static bool space_eq(const void *table, uint32_t id, const void *key)
{
	const struct space *a = &((const struct machine *)table)->spaces.data[id], *b = key;
	return a->process == b->process && a->version == b->version && a->kernel_version == b->kernel_version;
}

static void narrow(const struct process *p, uint32_t version, uint64_t *from, uint64_t *until)
{
	if (p->versions.data[version].from_ns > *from && version)
		*from = p->versions.data[version].from_ns;
	if (version + 1 < p->versions.len && p->versions.data[version + 1].from_ns < *until)
		*until = p->versions.data[version + 1].from_ns;
}

static uint32_t find_space(struct machine *m, const struct process *p, uint64_t time_ns, uint64_t *from, uint64_t *until,
			   uint32_t *ret_kernel)
{
	uint32_t version = process_version(p, time_ns), kernel_version = process_version(m->kernel, time_ns);
	const struct space_version *v = &p->versions.data[version], *k = &m->kernel->versions.data[kernel_version];
	narrow(p, version, from, until);
	narrow(m->kernel, kernel_version, from, until);
	*ret_kernel = kernel_version;
	const struct space_version *home = &m->processes.data[v->home_process]->versions.data[v->home_version];
	struct space s = {
		.process = v->home_process,
		.version = v->home_version,
		.kernel_version = kernel_version,
		.user = home->epoch,
		.kernel = k->epoch,
		.user_ns = home->from_ns,
		.kernel_ns = k->from_ns,
	};
	uint64_t hash = hash_combine((uint64_t)s.process << 32 | s.version, kernel_version);
	pthread_mutex_lock(&m->lock);
	uint32_t id = idset_find(&m->space_index, hash, space_eq, m, &s);
	if (id == IDSET_NONE) {
		id = (uint32_t)m->spaces.len;
		vec_push(&m->spaces, s);
		idset_insert(&m->space_index, hash, id);
	}
	pthread_mutex_unlock(&m->lock);
	return id;
}

struct machine_view machine_view(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct machine_view v;
	size_t comm;
	get_ready(m);
	const struct thread_history *t = find_thread(m, pid, tid, time_ns, &v.from_ns, &v.until_ns);
	v.thread = &t->pub;
	v.comm = comm_of(m, t, time_ns, &comm);
	if (comm && t->comms.data[comm].from_ns > v.from_ns)
		v.from_ns = t->comms.data[comm].from_ns;
	if (comm + 1 < t->comms.len && t->comms.data[comm + 1].from_ns < v.until_ns)
		v.until_ns = t->comms.data[comm + 1].from_ns;
	v.space = find_space(m, t->pub.process, time_ns, &v.from_ns, &v.until_ns, &v.kernel);
	return v;
}

const struct thread *machine_thread(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	uint64_t from, until;
	get_ready(m);
	return &find_thread(m, pid, tid, time_ns, &from, &until)->pub;
}

str_id machine_comm(struct machine *m, const struct thread *t, uint64_t time_ns)
{
	size_t unused;
	get_ready(m);
	return comm_of(m, (const struct thread_history *)t, time_ns, &unused);
}

uint32_t machine_space(struct machine *m, const struct thread *t, uint64_t time_ns, uint64_t *ret_until)
{
	uint64_t from = 0;
	uint32_t kernel;
	get_ready(m);
	*ret_until = UINT64_MAX;
	return find_space(m, t->process, time_ns, &from, ret_until, &kernel);
}

/* All guests are taken to have one kernel, and their processes' maps are not recorded. */
static const struct map *map_of(const struct machine *m, const struct space *s, uint16_t cpumode, uint64_t ip)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return maptree_find(s->kernel->root, ip, s->kernel_ns);
	case PERF_RECORD_MISC_USER:
		return maptree_find(s->user->root, ip, s->user_ns);
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return maptree_find(vec_last(&m->guest_kernel->versions).epoch->root, ip, UINT64_MAX);
	case CPUMODE_UNKNOWN: {
		const struct map *map = maptree_find(s->user->root, ip, s->user_ns);
		return map ? map : maptree_find(s->kernel->root, ip, s->kernel_ns);
	}
	default:
		return NULL;
	}
}

const struct map *machine_map(struct machine *m, const struct thread *t, uint16_t cpumode, uint64_t ip, uint64_t time_ns)
{
	get_ready(m);
	const struct process *p = t->process;
	const struct space_version *v = &p->versions.data[process_version(p, time_ns)];
	const struct space_version *k = &m->kernel->versions.data[process_version(m->kernel, time_ns)];
	struct space s = { .user = v->epoch, .kernel = k->epoch, .user_ns = v->from_ns, .kernel_ns = k->from_ns };
	return map_of(m, &s, cpumode, ip);
}

const struct map *machine_space_map(struct machine *m, uint32_t space, uint16_t cpumode, uint64_t ip)
{
	pthread_mutex_lock(&m->lock);
	struct space s = m->spaces.data[space];
	pthread_mutex_unlock(&m->lock);
	return map_of(m, &s, cpumode, ip);
}

/* The lowest of the executable files that were mapped at since_ns or later. */
static const struct map *lowest_code(const struct map_node *n, uint64_t since_ns)
{
	if (!n)
		return NULL;
	const struct map *lower = lowest_code(n->left, since_ns), *map = n->map;
	/* MMAP records have no protection: files are code unless the record is marked as data */
	bool is_code = map->file->kind == MAPPED_FILE && !map->is_data && (!map->prot || map->prot & PROT_EXEC);
	if (!lower && is_code && n->since_ns >= since_ns)
		return map;
	return lower ? lower : lowest_code(n->right, since_ns);
}

const struct map *machine_space_program(struct machine *m, uint32_t space)
{
	pthread_mutex_lock(&m->lock);
	struct space s = m->spaces.data[space];
	pthread_mutex_unlock(&m->lock);
	return lowest_code(s.user->root, s.user->exec_ns);
}

void machine_each_map(struct machine *m, const struct thread *t, uint64_t time_ns, bool (*fn)(void *ctx, const struct map *map),
		      void *ctx)
{
	get_ready(m);
	const struct space_version *v = &t->process->versions.data[process_version(t->process, time_ns)];
	maptree_each(v->epoch->root, v->from_ns, fn, ctx);
}

bool machine_namespace(const struct machine *m, const struct thread *t, unsigned kind, uint64_t *ret_dev, uint64_t *ret_ino)
{
	const struct thread_history *h = (const struct thread_history *)t;
	if (kind >= h->namespaces_nr)
		return false;
	*ret_dev = h->namespaces[kind].dev;
	*ret_ino = h->namespaces[kind].ino;
	return true;
}
