/*
 * Forgets ended tasks: copies the data that is still needed, with its sharing, and frees all old data at once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "machine/machine_priv.h"

/* The needed versions of a process, and their new numbers. */
struct kept {
	bool used;         /* it is found by its pid, and not only the home of others' maps */
	bool *versions;    /* NULL: none */
	uint32_t *numbers; /* new ones, by version */
	struct process *copy;
};

struct forgetting {
	struct machine *from, *to;
	uint64_t before_ns;
	bool with_files;     /* forget files that are not mapped, and strings, too */
	struct kept *kept;   /* by process */
	struct u64map moved; /* old address → new one: of epochs, namespaces */
	struct mapped_file **files; /* by old id: those that are mapped */
	uint32_t mapped;
};

/* ---- selection ---- */

static void keep_version(struct forgetting *f, uint32_t process, uint32_t version)
{
	const struct process *p = f->from->processes.data[process];
	struct kept *k = &f->kept[process];
	if (!k->versions)
		k->versions = xcalloc(p->versions.len, sizeof(*k->versions));
	if (k->versions[version])
		return;
	k->versions[version] = true;
	keep_version(f, p->versions.data[version].home_process, p->versions.data[version].home_version);
}

static void keep_process(struct forgetting *f, uint32_t process)
{
	const struct process *p = f->from->processes.data[process];
	if (f->kept[process].used)
		return;
	f->kept[process].used = true;
	for (uint32_t i = process_version(p, f->before_ns); i < p->versions.len; i++)
		keep_version(f, process, i);
}

/* Threads that have not ended, and whose ID was not reused: a reuse means that the end was lost. */
static void keep_threads(struct forgetting *f)
{
	const struct u64map *lines = &f->from->thread_lines;
	for (size_t i = 0; lines->slots && i <= lines->mask; i++) {
		const struct thread_line *line = (const struct thread_line *)(uintptr_t)lines->slots[i].value;
		for (size_t j = 0; lines->slots[i].used && j < line->all.len; j++) {
			struct thread_history *t = line->all.data[j];
			bool followed = j + 1 < line->all.len && line->all.data[j + 1]->pub.start_ns <= f->before_ns;
			t->stays = t->pub.end_ns >= f->before_ns && !followed;
			if (t->stays)
				keep_process(f, t->pub.process->index);
		}
	}
}

/* ---- copies ---- */

/* Returns the copy if there is one, with *ret_new NULL; else *ret_new is the place for its address. */
static void *moved(struct forgetting *f, const void *old, uint64_t **ret_new)
{
	bool is_new;
	uint64_t *at = u64map_put(&f->moved, (uintptr_t)old, &is_new);
	*ret_new = is_new ? at : NULL;
	return (void *)(uintptr_t)*at;
}

static void *copy_bytes(struct forgetting *f, const void *old, size_t bytes)
{
	uint64_t *at;
	void *copy = moved(f, old, &at);
	if (!at)
		return copy;
	copy = arena_memdup(&f->to->arena, old, bytes);
	*at = (uintptr_t)copy;
	return copy;
}

static const struct mapped_file *copy_file(struct forgetting *f, const struct mapped_file *old)
{
	struct mapped_file **at = &f->files[old->id];
	if (!*at) {
		f->mapped++;
		*at = f->with_files ? files_take_over(f->to, old) : f->to->files.data[old->id];
	}
	return *at;
}

/* Maps and nodes are many: the address of a copy is stored in the old one, which is not read otherwise until it is freed. */
static const struct map *copy_map(struct forgetting *f, const struct map *old)
{
	struct map *from = (struct map *)old;
	if (!from->file)
		return (const struct map *)(uintptr_t)from->start;
	struct map *m = arena_memdup(&f->to->arena, old, sizeof(*old));
	m->file = copy_file(f, old->file);
	from->file = NULL;
	from->start = (uintptr_t)m;
	return m;
}

static const struct map_node *copy_node(struct forgetting *f, const struct map_node *old)
{
	struct map_node *from = (struct map_node *)old;
	if (!old)
		return NULL;
	if (!from->map)
		return from->left;
	struct map_node *n = arena_memdup(&f->to->arena, old, sizeof(*old));
	n->map = copy_map(f, old->map);
	n->left = copy_node(f, old->left);
	n->right = copy_node(f, old->right);
	from->map = NULL;
	from->left = n;
	return n;
}

static struct epoch *copy_epoch(struct forgetting *f, const struct epoch *old)
{
	struct epoch *e = copy_bytes(f, old, sizeof(*old));
	e->root = copy_node(f, old->root);
	return e;
}

/* Numbers first: versions refer to each other. */
static void number_processes(struct forgetting *f)
{
	for (size_t i = 0; i < f->from->processes.len; i++) {
		const struct process *old = f->from->processes.data[i];
		struct kept *k = &f->kept[i];
		uint32_t n = 0;
		if (!k->versions)
			continue;
		k->numbers = xcalloc(old->versions.len, sizeof(*k->numbers));
		for (size_t j = 0; j < old->versions.len; j++)
			k->numbers[j] = k->versions[j] ? n++ : 0;
		k->copy = xcalloc(1, sizeof(*k->copy));
		k->copy->index = (uint32_t)f->to->processes.len;
		k->copy->pid = old->pid;
		k->copy->start_ns = old->start_ns;
		vec_push(&f->to->processes, k->copy);
	}
}

static void copy_versions(struct forgetting *f)
{
	for (size_t i = 0; i < f->from->processes.len; i++) {
		const struct process *old = f->from->processes.data[i];
		const struct kept *k = &f->kept[i];
		for (size_t j = 0; k->versions && j < old->versions.len; j++) {
			struct space_version v = old->versions.data[j];
			const struct kept *home = &f->kept[v.home_process];
			if (!k->versions[j])
				continue;
			v.epoch = copy_epoch(f, v.epoch);
			v.home_process = home->copy->index;
			v.home_version = home->numbers[v.home_version];
			vec_push_lean(&k->copy->versions, v);
		}
	}
}

/* Processes of one pid keep their order. */
static void copy_lines(struct forgetting *f)
{
	const struct u64map *lines = &f->from->process_lines;
	for (size_t i = 0; lines->slots && i <= lines->mask; i++) {
		const struct process_line *line = (const struct process_line *)(uintptr_t)lines->slots[i].value;
		for (size_t j = 0; lines->slots[i].used && j < line->all.len; j++)
			if (f->kept[line->all.data[j]->index].used)
				processes_add(f->to, f->kept[line->all.data[j]->index].copy);
	}
}

static str_id copy_string(struct forgetting *f, str_id id)
{
	const struct strtab *from = &f->from->strings;
	return f->with_files ? strtab_add_n(&f->to->strings, strtab_get(from, id), strtab_length(from, id)) : id;
}

static void copy_threads(struct forgetting *f)
{
	for (size_t i = 0; i < f->from->threads.len; i++) {
		const struct thread_history *old = f->from->threads.data[i];
		if (!old->stays)
			continue;
		struct thread_history *t = threads_copy(f->to, old, f->kept[old->pub.process->index].copy);
		for (size_t j = 0; j < old->comms.len; j++) {
			struct comm_version c = old->comms.data[j];
			bool over = j + 1 < old->comms.len && old->comms.data[j + 1].from_ns <= f->before_ns;
			c.comm = copy_string(f, c.comm);
			if (!over)
				vec_push_lean(&t->comms, c);
		}
		if (old->namespaces)
			t->namespaces = copy_bytes(f, old->namespaces, old->namespaces_nr * sizeof(*old->namespaces));
	}
}

static void copy_cgroups(struct forgetting *f)
{
	const struct u64map *all = &f->from->cgroups;
	for (size_t i = 0; all->slots && i <= all->mask; i++)
		if (all->slots[i].used)
			*u64map_put(&f->to->cgroups, all->slots[i].key, NULL) =
				(uintptr_t)arena_strdup(&f->to->arena, (const char *)(uintptr_t)all->slots[i].value);
}

/* ---- all of it ---- */

/* Moves the histories to *from; m has none afterwards. */
static void empty(struct machine *m, struct machine *from, bool with_files)
{
	*from = *m;
	arena_init(&m->arena);
	memset(&m->processes, 0, sizeof(m->processes));
	memset(&m->process_lines, 0, sizeof(m->process_lines));
	memset(&m->thread_lines, 0, sizeof(m->thread_lines));
	memset(&m->threads, 0, sizeof(m->threads));
	memset(&m->cgroups, 0, sizeof(m->cgroups));
	memset(&m->made_up, 0, sizeof(m->made_up));
	memset(&m->made_up_index, 0, sizeof(m->made_up_index));
	memset(&m->spaces, 0, sizeof(m->spaces));
	memset(&m->space_index, 0, sizeof(m->space_index));
	if (!with_files)
		return;
	strtab_init(&m->strings);
	arena_init(&m->files_arena);
	memset(&m->files, 0, sizeof(m->files));
	memset(&m->files_by_id, 0, sizeof(m->files_by_id));
	memset(&m->files_by_path, 0, sizeof(m->files_by_path));
	memset(&m->file_paths, 0, sizeof(m->file_paths));
	memset(&m->build_ids, 0, sizeof(m->build_ids));
	m->build_ids_seen = 0;
}

static void free_old(struct machine *from, bool with_files)
{
	threads_deinit(from);
	processes_deinit(from);
	u64map_deinit(&from->cgroups);
	idset_deinit(&from->made_up_index);
	vec_deinit(&from->spaces);
	idset_deinit(&from->space_index);
	arena_deinit(&from->arena);
	if (!with_files)
		return;
	files_deinit(from);
	strtab_deinit(&from->strings);
}

static void copy_all(struct forgetting *f)
{
	struct machine *m = f->to, *from = f->from;
	keep_threads(f);
	keep_process(f, from->kernel->index);
	keep_process(f, from->guest_kernel->index);
	keep_process(f, from->nowhere->index);
	number_processes(f);
	copy_versions(f);
	copy_lines(f);
	copy_threads(f);
	copy_cgroups(f);
	m->kernel = f->kept[from->kernel->index].copy;
	m->guest_kernel = f->kept[from->guest_kernel->index].copy;
	m->nowhere = f->kept[from->nowhere->index].copy;
}

uint32_t machine_forget_ended(struct machine *m, uint64_t before_ns, bool with_files)
{
	struct machine from;
	machine_seal(m);
	struct forgetting f = { .from = &from, .to = m, .before_ns = before_ns, .with_files = with_files };
	f.files = xcalloc(m->files.len + 1, sizeof(*f.files));
	f.kept = xcalloc(m->processes.len, sizeof(*f.kept));
	size_t processes = m->processes.len;
	empty(m, &from, with_files);
	copy_all(&f);
	free_old(&from, with_files);
	if (with_files)
		files_take_build_ids(m);
	m->generation++;
	for (size_t i = 0; i < processes; i++) {
		free(f.kept[i].versions);
		free(f.kept[i].numbers);
	}
	free(f.kept);
	free(f.files);
	u64map_deinit(&f.moved);
	return f.mapped;
}
