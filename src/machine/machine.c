#include "machine/machine.h"

#include <stdlib.h>

#include "base/brief_lock.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/machine_priv.h"

#define KSYMBOL_UNREGISTER 1
/* misc of FORK: the recorder synthesized it and writes the maps itself (PERF_RECORD_MISC_FORK_EXEC). */
#define MISC_FORK_MADE_UP (1 << 13)

struct machine *machine_create(const struct env *env)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	m->env = env;
	arena_init(&m->arena);
	arena_init(&m->files_arena);
	arena_init(&m->pending.arena);
	strtab_init(&m->strings);
	m->tree.arena = &m->arena;
	brief_lock_init(&m->lock);
	m->nowhere = process_create(m, UINT32_MAX, 0, NULL);
	m->kernel = process_create(m, UINT32_MAX, 0, NULL);
	m->guest_kernel = process_create(m, UINT32_MAX, 0, NULL);
	threads_add_idle(m);
	return m;
}

void machine_name_kernel(struct machine *m, const char *name)
{
	m->kernel_name = name;
}

void machine_destroy(struct machine *m)
{
	if (!m)
		return;
	threads_deinit(m);
	processes_deinit(m);
	files_deinit(m);
	u64map_deinit(&m->cgroups);
	vec_deinit(&m->pending.records);
	vec_deinit(&m->pending.times);
	arena_deinit(&m->pending.arena);
	idset_deinit(&m->made_up_index);
	vec_deinit(&m->spaces);
	idset_deinit(&m->space_index);
	pthread_mutex_destroy(&m->lock);
	strtab_deinit(&m->strings);
	arena_deinit(&m->arena);
	free(m);
}

struct strtab *machine_strings(struct machine *m)
{
	return &m->strings;
}

uint64_t machine_generation(const struct machine *m)
{
	return m->generation;
}

static bool is_ours(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_CGROUP:
		return true;
	default:
		return false;
	}
}

static void hold(struct machine *m, const struct perf_event_header *hdr, uint64_t time_ns)
{
	vec_push(&m->pending.records, hdr);
	vec_push(&m->pending.times, time_ns);
	m->generation++;
}

void machine_apply(struct machine *m, struct record r, uint64_t time_ns)
{
	if (is_ours(r.hdr->type))
		hold(m, arena_memdup(&m->pending.arena, r.hdr, r.hdr->size), time_ns);
}

void machine_apply_in_place(struct machine *m, struct record r, uint64_t time_ns)
{
	if (is_ours(r.hdr->type))
		hold(m, r.hdr, time_ns);
}

static bool is_of_kernel(struct record r, bool *ret_guest)
{
	uint16_t mode = r.hdr->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	*ret_guest = mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static void apply_mmap(struct machine *m, struct record rec, uint64_t time_ns)
{
	struct record_mmap r;
	if (!record_decode_mmap(rec, &r))
		return;
	bool guest, kernel = is_of_kernel(rec, &guest);
	struct map map = {
		.start = r.start,
		.end = r.start + r.len < r.start ? UINT64_MAX : r.start + r.len,
		.pgoff = r.pgoff,
		.prot = r.prot,
		.flags = r.flags,
		.is_data = r.is_data,
	};
	struct mapped_file *file = files_find(m, &r, kernel, guest);
	/* Recorders write the length of the kernel's main text, or 0; its start-up code (.init.text) follows that. */
	if (file->kind == MAPPED_KERNEL)
		map.end = UINT64_MAX;
	if (map.start >= map.end)
		return;
	if (file->kind == MAPPED_VDSO)
		map.pgoff = 0;
	map.file = file;
	struct process *p = kernel ? guest ? m->guest_kernel : m->kernel : threads_process(m, r.pid, r.tid, time_ns);
	process_add_map(m, p, arena_memdup(&m->arena, &map, sizeof(map)), time_ns);
}

static void apply_ksymbol(struct machine *m, struct record rec, uint64_t time_ns)
{
	struct record_ksymbol r;
	if (!record_decode_ksymbol(rec, &r) || !r.len || r.addr + r.len < r.addr)
		return;
	const struct map *there = maptree_at(vec_last(&m->kernel->versions).epoch->root, r.addr);
	bool is_known = there && (there->file->kind == MAPPED_BPF || there->file->kind == MAPPED_OTHER_KERNEL);
	if (r.flags & KSYMBOL_UNREGISTER) {
		if (is_known)
			process_remove_map(m, m->kernel, there->start, there->end, time_ns);
		return;
	}
	struct map map = {
		.start = r.addr,
		.end = r.addr + r.len,
		.pgoff = r.addr,
		.prot = 4,
		.file = files_find_ksymbol(m, &r),
	};
	process_add_map(m, m->kernel, arena_memdup(&m->arena, &map, sizeof(map)), time_ns);
}

static void apply_cgroup(struct machine *m, struct record rec)
{
	struct record_cgroup r;
	if (record_decode_cgroup(rec, &r))
		*u64map_put(&m->cgroups, r.id, NULL) = (uintptr_t)arena_strdup(&m->arena, r.path);
}

static void apply_now(struct machine *m, struct record rec, uint64_t time_ns)
{
	struct record_comm comm;
	struct record_task task;
	struct record_namespaces ns;
	/* Histories grow at their ends only. */
	if (time_ns < m->now_ns)
		time_ns = m->now_ns;
	m->now_ns = time_ns;
	switch (rec.hdr->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mmap(m, rec, time_ns);
		break;
	case PERF_RECORD_COMM:
		if (record_decode_comm(rec, &comm))
			threads_comm(m, &comm, time_ns);
		break;
	case PERF_RECORD_FORK:
		if (record_decode_task(rec, &task))
			threads_fork(m, &task, !(rec.hdr->misc & MISC_FORK_MADE_UP), time_ns);
		break;
	case PERF_RECORD_EXIT:
		if (record_decode_task(rec, &task))
			threads_exit(m, &task, time_ns);
		break;
	case PERF_RECORD_KSYMBOL:
		apply_ksymbol(m, rec, time_ns);
		break;
	case PERF_RECORD_NAMESPACES:
		if (record_decode_namespaces(rec, &ns))
			threads_namespaces(m, &ns, time_ns);
		break;
	case PERF_RECORD_CGROUP:
		apply_cgroup(m, rec);
		break;
	default:
		break;
	}
}

void machine_seal(struct machine *m)
{
	files_take_build_ids(m);
	size_t n = m->pending.records.len;
	if (!n) {
		m->was_read = true;
		return;
	}
	struct sort_pair *order = xreallocarray(NULL, n, sizeof(*order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ .key = m->pending.times.data[i], .value = i };
	sort_pairs(order, n);
	for (size_t i = 0; i < n; i++)
		apply_now(m, (struct record){ .hdr = m->pending.records.data[order[i].value] }, order[i].key);
	free(order);
	/* Results of look-ups must stay valid from now on. */
	m->was_read = true;
	vec_clear(&m->pending.records);
	vec_clear(&m->pending.times);
	arena_reset(&m->pending.arena);
}

size_t machine_threads_count(const struct machine *m)
{
	return m->threads.len;
}

const struct thread *machine_thread_at(const struct machine *m, size_t i)
{
	return &m->threads.data[i]->pub;
}

size_t machine_files_count(const struct machine *m)
{
	return m->files.len;
}

const struct mapped_file *machine_file_at(const struct machine *m, size_t i)
{
	return m->files.data[i];
}

const char *machine_cgroup(const struct machine *m, uint64_t id)
{
	uint64_t *path = u64map_get(&m->cgroups, id);
	return path ? (const char *)(uintptr_t)*path : NULL;
}

const struct mapped_file *machine_file_of(struct machine *m, struct record r)
{
	bool guest, kernel = is_of_kernel(r, &guest);
	struct record_ksymbol symbol;
	struct record_mmap map;
	if (r.hdr->type == PERF_RECORD_KSYMBOL)
		return record_decode_ksymbol(r, &symbol) ? files_find_ksymbol(m, &symbol) : NULL;
	return record_decode_mmap(r, &map) ? files_find(m, &map, kernel, guest) : NULL;
}
