#include "heap/leaks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/mem.h"
#include "base/text.h"
#include "heap/mark.h"
#include "heap/stopped.h"
#include "sys/process_memory.h"

#define CHUNK_SLOTS 65536
#define PAGE        4096
#define RED_ZONE    128
#define STACK_MOST  ((uint64_t)8 << 20)
#define TLS_BELOW   (256 * 1024) /* static thread-local storage is below the thread's control block */
#define TLS_ABOVE   8192
#define IDLE_KEPT   2560 /* the C library's own data of a thread, at the end of its stack */

void heap_leaks_deinit(struct heap_leaks *l)
{
	vec_deinit(&l->blocks);
	free(l->objects);
	free(l->bytes);
	*l = (struct heap_leaks){};
}

/* ---- blocks ---- */

struct roots {
	struct mark *mark;
	const struct stopped *process;
	const struct heap_region *region;
	const struct heap_leaks_options *options;
};

static void take_slots(struct roots *r, const struct alloc_leaf *leaf, uint64_t first, const struct alloc_slot *slots, size_t n)
{
	const struct heap_leaks_options *o = r->options;
	for (size_t i = 0; i < n; i++)
		if (slots[i].entry)
			vec_push(&r->mark->blocks, ((struct mark_block){ .address = leaf->first + (first + i) * ALLOC_GRANULE,
									 .size = slots[i].size,
									 .entry = slots[i].entry - 1,
									 .is_root = slots[i].is_ignored,
									 .is_old = o->has_since &&
										   !alloc_slot_is_since(&slots[i], o->since) }));
}

static void read_blocks(struct roots *roots)
{
	const struct heap_region *r = roots->region;
	pid_t pid = roots->process->pid;
	struct alloc_slot *slots = xmalloc(CHUNK_SLOTS * sizeof(*slots));
	for (uint32_t i = 0; i < r->leaves_nr; i++) {
		struct alloc_leaf leaf = heap_region_leaf(r, i);
		for (uint64_t at = 0; at < ALLOC_LEAF_SPAN / ALLOC_GRANULE; at += CHUNK_SLOTS) {
			size_t n = process_read(pid, leaf.at + at * sizeof(*slots), slots, CHUNK_SLOTS * sizeof(*slots)) / sizeof(*slots);
			take_slots(roots, &leaf, at, slots, n);
		}
	}
	free(slots);
}

/* ---- roots ---- */

static bool is_leaf(const struct heap_region *r, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < r->leaves_nr; i++) {
		struct alloc_leaf leaf = heap_region_leaf(r, i);
		if (leaf.at >= start && leaf.at < end)
			return true;
	}
	return false;
}

static bool is_stack_of_a_thread(const struct stopped *s, const struct stopped_map *m)
{
	for (size_t i = 0; i < s->threads.len; i++)
		if (s->threads.data[i].sp >= m->start && s->threads.data[i].sp < m->end)
			return true;
	return false;
}

/*
 * The stack of an ended thread is kept for the next one, with its contents: it follows a mapping without any access, and no thread runs on
 * it. The data that the C library needs for the next thread is at its end.
 */
static bool is_idle_stack(const struct stopped *s, size_t i)
{
	const struct stopped_map *m = &s->maps.data[i];
	if (!i || *m->path || s->maps.data[i - 1].end != m->start)
		return false;
	const struct stopped_map *guard = m - 1;
	return !guard->is_readable && !guard->is_writable && !*guard->path;
}

/*
 * A mapping with blocks is an allocator's: its own data there, such as lists of free blocks, would reach blocks that the program cannot
 * reach. But if blocks are in mappings of their own, which the kernel may have merged with others, as glibc's (at 16 bytes after a page's
 * start), the memory between them is the program's.
 */
static void mark_between(struct roots *r, const struct stopped_map *m)
{
	struct mark *mark = r->mark;
	uint64_t from = m->start;
	for (size_t i = 0; i < mark->blocks.len; i++) {
		const struct mark_block *b = &mark->blocks.data[i];
		if (b->address < m->start || b->address >= m->end)
			continue;
		if (b->address % PAGE != 16 || b->size < PAGE)
			return;
	}
	for (size_t i = 0; i < mark->blocks.len; i++) {
		const struct mark_block *b = &mark->blocks.data[i];
		if (b->address < m->start || b->address >= m->end)
			continue;
		mark_range(mark, from, b->address & ~(uint64_t)(PAGE - 1));
		from = (b->address + b->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	}
	mark_range(mark, from, m->end);
}

static void mark_maps(struct roots *r)
{
	const struct stopped *s = r->process;
	bool is_own = false, is_libc = false; /* data of an object, and unnamed mappings after it, which belong to the same object */
	for (size_t i = 0; i < s->maps.len; i++) {
		const struct stopped_map *m = &s->maps.data[i];
		bool goes_on = i && s->maps.data[i - 1].end == m->start && !*m->path;
		is_own = *m->path ? text_has_suffix(m->path, "/" ALLOC_LIBRARY) : is_own && goes_on;
		is_libc = *m->path ? text_has_prefix(text_base_name(m->path), "libc.so.") : is_libc && goes_on;
		if (!m->is_writable || !m->is_readable || m->is_shared || is_own || is_leaf(r->region, m->start, m->end))
			continue;
		if (is_stack_of_a_thread(s, m))
			continue;
		if (is_idle_stack(s, i)) {
			mark_range(r->mark, m->end - m->start > IDLE_KEPT ? m->end - IDLE_KEPT : m->start, m->end);
			continue;
		}
		r->mark->skips_ends = is_libc;
		if (mark_has_blocks(r->mark, m->start, m->end))
			mark_between(r, m);
		else
			mark_range(r->mark, m->start, m->end);
		r->mark->skips_ends = false;
	}
}

static const struct stopped_map *map_of(const struct stopped *s, uint64_t address)
{
	for (size_t i = 0; i < s->maps.len; i++)
		if (address >= s->maps.data[i].start && address < s->maps.data[i].end)
			return &s->maps.data[i];
	return NULL;
}

static void mark_thread(struct roots *r, const struct stopped_thread *t)
{
	const struct stopped_map *stack = map_of(r->process, t->sp), *tls = map_of(r->process, t->tls);
	/* The thread that requests the search knows where the program's own frames begin. */
	bool is_own = t->tid == r->options->tid && stack && r->options->stack >= t->sp && r->options->stack < stack->end;
	for (unsigned i = 0; i < t->registers_nr && !is_own; i++)
		mark_word(r->mark, t->registers[i]);
	if (stack) {
		uint64_t from = t->sp - RED_ZONE > stack->start ? t->sp - RED_ZONE : stack->start;
		from = is_own ? r->options->stack : from;
		/* A coroutine's stack may itself be a block, which is searched as a whole if something points to it. */
		bool is_heap = mark_has_blocks(r->mark, stack->start, stack->end);
		uint64_t to = is_heap && stack->end - from > STACK_MOST ? from + STACK_MOST : stack->end;
		mark_range(r->mark, from, to);
	}
	if (tls) {
		uint64_t from = t->tls - tls->start > TLS_BELOW ? t->tls - TLS_BELOW : tls->start;
		uint64_t to = tls->end - t->tls > TLS_ABOVE ? t->tls + TLS_ABOVE : tls->end;
		if (tls == stack && from < t->sp)
			from = t->sp;
		mark_range(r->mark, from, to);
	}
}

/* ---- the whole ---- */

static size_t read_process(void *ctx, uint64_t address, void *ret, size_t bytes)
{
	return process_read(*(const pid_t *)ctx, address, ret, bytes);
}

static void take_leak(struct heap_leaks *ret, const struct mark_block *b)
{
	vec_push(&ret->blocks, ((struct heap_leak){ b->address, b->size, b->entry }));
	ret->objects[b->entry]++;
	ret->bytes[b->entry] += b->size;
}

static void sum_up(const struct mark *m, uint32_t entries_nr, struct heap_leaks *ret)
{
	*ret = (struct heap_leaks){
		.objects = xcalloc(entries_nr + 1, sizeof(*ret->objects)),
		.bytes = xcalloc(entries_nr + 1, sizeof(*ret->bytes)),
		.entries_nr = entries_nr,
	};
	for (size_t i = 0; i < m->blocks.len; i++) {
		const struct mark_block *b = &m->blocks.data[i];
		if (!b->is_reached && !b->is_old && b->entry < entries_nr) {
			take_leak(ret, b);
		} else {
			ret->reached_objects++;
			ret->reached_bytes += b->size;
		}
	}
}

static void mark_all(struct roots *r)
{
	read_blocks(r);
	mark_begin(r->mark);
	if (!r->options->no_globals)
		mark_maps(r);
	for (size_t i = 0; i < r->process->threads.len && !r->options->no_threads; i++)
		mark_thread(r, &r->process->threads.data[i]);
	mark_finish(r->mark);
}

static struct strobe_error *find(pid_t pid, const struct heap_region *r, const struct heap_leaks_options *o, struct heap_leaks *ret)
{
	struct stopped process;
	struct mark mark = { .read = read_process, .ctx = &pid, .step = o->step, .offset_most = o->offset_most };
	struct roots roots = { &mark, &process, r, o };
	TRY(stopped_begin(&process, pid));
	mark_all(&roots);
	stopped_end(&process);
	sum_up(&mark, r->entries_nr, ret);
	mark_deinit(&mark);
	return NULL;
}

struct strobe_error *heap_leaks_find(uint32_t pid, const struct heap_region *r, const struct heap_leaks_options *o,
				     struct heap_leaks *ret)
{
	if (r->header.rate != 1)
		return error_create(ERROR_UNSUPPORTED, "finding leaks requires that every allocation is counted (--exact)");
	return find((pid_t)pid, r, o, ret);
}
