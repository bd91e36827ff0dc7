#include <stdlib.h>

#include "base/mem.h"
#include "machine/machine_priv.h"

static struct epoch *epoch_create(struct machine *m, const struct map_node *root, uint64_t exec_ns)
{
	struct epoch *e = arena_new(&m->arena, struct epoch);
	e->root = root;
	e->exec_ns = exec_ns;
	e->edition = ++m->edition;
	return e;
}

static void push_version(struct process *p, struct space_version v)
{
	v.home_process = p->index;
	v.home_version = (uint32_t)p->versions.len;
	vec_push_lean(&p->versions, v);
}

/*
 * The version to change at time_ns: the last one if no look-up or child can have it yet, else a new one after it. Recorders write
 * all existing maps with time 0: these must not each create a version.
 */
static struct space_version *version_for_change(struct machine *m, struct process *p, uint64_t time_ns)
{
	struct space_version *last = &vec_last(&p->versions);
	if (last->from_ns == time_ns && !last->shared && !m->was_read && last->home_process == p->index)
		return last;
	push_version(p, (struct space_version){ .from_ns = time_ns, .epoch = last->epoch });
	return &vec_last(&p->versions);
}

struct process *process_create(struct machine *m, uint32_t pid, uint64_t start_ns, struct process *parent)
{
	struct process *p = xcalloc(1, sizeof(*p));
	p->index = (uint32_t)m->processes.len;
	p->pid = pid;
	p->start_ns = start_ns;
	vec_push(&m->processes, p);
	if (parent) {
		struct space_version *from = &vec_last(&parent->versions);
		struct space_version v = *from;
		from->shared = true;
		from->epoch->edition = ++m->edition; /* from here on both copy what they change */
		v.from_ns = start_ns;
		v.shared = true;
		v.epoch = epoch_create(m, from->epoch->root, from->epoch->exec_ns);
		vec_push_lean(&p->versions, v);
	} else {
		push_version(p, (struct space_version){ .from_ns = start_ns, .epoch = epoch_create(m, NULL, 0) });
	}
	return p;
}

void process_exec(struct machine *m, struct process *p, uint64_t time_ns)
{
	/*
	 * The old maps are kept below the new ones: until the system call ends, the saved registers (and so the call chains of
	 * samples in it) have addresses of the old image. Maps of the new image replace them.
	 */
	const struct map_node *old = vec_last(&p->versions).epoch->root;
	struct space_version *v = version_for_change(m, p, time_ns);
	v->epoch = epoch_create(m, old, time_ns);
}

static bool same_map(const struct map *a, const struct map *b)
{
	return a && a->start == b->start && a->end == b->end && a->pgoff == b->pgoff && a->file == b->file &&
	       a->prot == b->prot && a->is_data == b->is_data;
}

static bool is_kernel_image(const struct map *map)
{
	return map->file && map->file->kind == MAPPED_KERNEL;
}

struct kept_maps {
	VEC(const struct map *) maps;
	uint64_t start, end;
};

static bool keep_inner_map(void *ctx, const struct map *map)
{
	struct kept_maps *k = ctx;
	if (map->start < k->end && map->end > k->start && !is_kernel_image(map))
		vec_push(&k->maps, map);
	return true;
}

struct found_maps {
	VEC(const struct map *) maps;
	bool any_jit, any_other;
	const struct mapped_file *file; /* that is being mapped */
};

static void find_map(void *ctx, const struct map *map)
{
	struct found_maps *f = ctx;
	vec_push(&f->maps, map);
	f->any_jit |= map->file->kind == MAPPED_JIT;
	f->any_other |= map->file->kind != MAPPED_JIT && map->file != f->file;
}

/*
 * A run-time compiler makes its memory executable repeatedly, each time with a new map record, while the code that a jitdump placed
 * there still exists. The new map is added around that code. False: no such code.
 */
static bool add_around_code(struct machine *m, struct process *p, const struct map *map, uint64_t time_ns)
{
	struct found_maps f = { .file = map->file };
	const struct map_node *root = vec_last(&p->versions).epoch->root;
	maptree_each_in(root, map->start, map->end, find_map, &f);
	uint64_t mapped = 0;
	for (size_t i = 0; i < f.maps.len; i++) {
		const struct map *in = f.maps.data[i];
		mapped += (in->end < map->end ? in->end : map->end) - (in->start > map->start ? in->start : map->start);
	}
	bool unchanged = !f.any_other && mapped == map->end - map->start;
	if (f.any_jit && !unchanged) {
		struct space_version *v = version_for_change(m, p, time_ns);
		v->epoch = epoch_create(m, root, v->epoch->exec_ns);
		uint64_t at = map->start;
		for (size_t i = 0; i <= f.maps.len; i++) {
			const struct map *in = i < f.maps.len ? f.maps.data[i] : NULL;
			if (in && in->file->kind != MAPPED_JIT)
				continue;
			uint64_t end = in ? in->start : map->end;
			if (end > at) {
				struct map *gap = arena_memdup(&m->arena, map, sizeof(*map));
				gap->pgoff += at - map->start;
				gap->start = at;
				gap->end = end;
				root = maptree_clear(&m->tree, root, at, end, v->epoch->edition);
				root = maptree_insert(&m->tree, root, gap, time_ns, v->epoch->edition);
			}
			at = in && in->end > at ? in->end : at;
		}
		v->epoch->root = root;
	}
	vec_deinit(&f.maps);
	return f.any_jit;
}

void process_add_map(struct machine *m, struct process *p, const struct map *map, uint64_t time_ns)
{
	const struct map_node *root = vec_last(&p->versions).epoch->root;
	bool overlaps = maptree_overlaps(root, map->start, map->end);
	if (overlaps && same_map(maptree_at(root, map->start), map))
		return;
	if (overlaps && map->file->kind == MAPPED_ANON && add_around_code(m, p, map, time_ns))
		return;
	struct space_version *v = version_for_change(m, p, time_ns);
	if (!overlaps) {
		v->epoch->root = maptree_insert(&m->tree, root, map, time_ns, v->epoch->edition);
		return;
	}
	/* The record of the kernel's image may extend to the end of the address space: modules inside of it are kept. */
	struct kept_maps kept = { .start = map->start, .end = map->end };
	if (is_kernel_image(map))
		maptree_each(root, UINT64_MAX, keep_inner_map, &kept);
	v->epoch = epoch_create(m, root, v->epoch->exec_ns);
	root = maptree_clear(&m->tree, root, map->start, map->end, v->epoch->edition);
	root = maptree_insert(&m->tree, root, map, time_ns, v->epoch->edition);
	for (size_t i = 0; i < kept.maps.len; i++) {
		const struct map *inner = kept.maps.data[i];
		root = maptree_clear(&m->tree, root, inner->start, inner->end, v->epoch->edition);
		root = maptree_insert(&m->tree, root, inner, time_ns, v->epoch->edition);
	}
	v->epoch->root = root;
	vec_deinit(&kept.maps);
}

void process_remove_map(struct machine *m, struct process *p, uint64_t start, uint64_t end, uint64_t time_ns)
{
	const struct map_node *root = vec_last(&p->versions).epoch->root;
	if (!maptree_overlaps(root, start, end))
		return;
	struct space_version *v = version_for_change(m, p, time_ns);
	v->epoch = epoch_create(m, root, v->epoch->exec_ns);
	v->epoch->root = maptree_clear(&m->tree, root, start, end, v->epoch->edition);
}

uint32_t process_version(const struct process *p, uint64_t time_ns)
{
	size_t after = vec_search(&p->versions, v, v->from_ns <= time_ns);
	return after ? (uint32_t)after - 1 : 0;
}

static struct process_line *line_of(const struct machine *m, uint32_t pid)
{
	uint64_t *at = u64map_get(&m->process_lines, pid);
	return at ? (struct process_line *)(uintptr_t)*at : NULL;
}

struct process *process_at(const struct machine *m, uint32_t pid, uint64_t time_ns, uint64_t *ret_until)
{
	uint64_t unused;
	if (!ret_until)
		ret_until = &unused;
	*ret_until = UINT64_MAX;
	const struct process_line *line = line_of(m, pid);
	if (!line)
		return NULL;
	size_t after = vec_search(&line->all, p, (*p)->start_ns <= time_ns);
	if (after < line->all.len)
		*ret_until = line->all.data[after]->start_ns;
	return after ? line->all.data[after - 1] : NULL;
}

struct process *process_latest(struct machine *m, uint32_t pid)
{
	struct process_line *line = line_of(m, pid);
	if (!line) {
		line = arena_new(&m->arena, struct process_line);
		*u64map_put(&m->process_lines, pid, NULL) = (uintptr_t)line;
		/* No record of its start: it existed before the recording. */
		vec_push(&line->all, process_create(m, pid, 0, NULL));
	}
	return vec_last(&line->all);
}

void processes_add(struct machine *m, struct process *p)
{
	struct process_line *line = line_of(m, p->pid);
	if (!line) {
		line = arena_new(&m->arena, struct process_line);
		*u64map_put(&m->process_lines, p->pid, NULL) = (uintptr_t)line;
	}
	vec_push(&line->all, p);
}

void processes_deinit(struct machine *m)
{
	for (size_t i = 0; i < m->process_lines.mask + 1 && m->process_lines.slots; i++) {
		if (m->process_lines.slots[i].used) {
			struct process_line *line = (struct process_line *)(uintptr_t)m->process_lines.slots[i].value;
			vec_deinit(&line->all);
		}
	}
	u64map_deinit(&m->process_lines);
	for (size_t i = 0; i < m->processes.len; i++) {
		vec_deinit(&m->processes.data[i]->versions);
		free(m->processes.data[i]);
	}
	vec_deinit(&m->processes);
}
