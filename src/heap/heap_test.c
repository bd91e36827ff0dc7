/* Hand-made regions, valid and damaged; reachable and unreachable blocks in fake memory. */
#include "base/testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "heap/heap.h"
#include "heap/mark.h"
#include "heap/region.h"

/* ---- a region ---- */

struct made {
	struct alloc_header header;
	uint64_t frames[8];
	struct alloc_entry entries[3];
	struct alloc_module modules[2];
	struct alloc_point points[2];
};

static struct alloc_table table_at(const struct made *m, const void *at, uint32_t nr)
{
	return (struct alloc_table){ .at = (uint64_t)((const char *)at - (const char *)m), .nr = nr, .most = nr };
}

/* Two modules at the same addresses, one after the other; two entries whose call chains are in different modules. */
static void make(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->header = (struct alloc_header){ .magic = ALLOC_MAGIC, .version = ALLOC_VERSION, .header_bytes = sizeof(m->header),
					   .bytes = sizeof(*m), .rate = 1, .pid = 7, .generation = 5, .program = "/bin/made" };
	m->header.frames = table_at(m, m->frames, 8);
	m->header.entries = table_at(m, m->entries, 3);
	m->header.modules = table_at(m, m->modules, 2);
	m->header.points = table_at(m, m->points, 2);
	m->header.leaves = table_at(m, m->points, 0);
	m->frames[0] = 0x1011;
	m->frames[1] = 0x1021;
	m->frames[2] = 0x1011 | ALLOC_FRAME_EXACT;
	m->modules[0] = (struct alloc_module){ .start = 0x1000, .end = 0x2000, .bias = 0x1000, .unloaded = 1, .path = "/lib/first.so" };
	m->modules[1] = (struct alloc_module){ .start = 0x1000, .end = 0x3000, .bias = 0x800, .path = "/lib/second.so" };
	m->entries[0] = (struct alloc_entry){ .frames = 0, .depth = 2, .size_class = 12, .state = ALLOC_ENTRY_WHOLE, .allocs = 10,
					      .alloc_bytes = 1000, .frees = 4, .free_bytes = 400, .peak_objects = 9, .peak_bytes = 900,
					      .generation = 5, .modules = 1 };
	m->entries[1] = (struct alloc_entry){ .frames = 2, .depth = 1, .state = ALLOC_ENTRY_WHOLE, .allocs = 3, .alloc_bytes = 30,
					      .peak_bytes = 77, .generation = 4, .modules = 2 };
	m->entries[2] = (struct alloc_entry){ .frames = 0, .depth = 1, .state = ALLOC_ENTRY_NEW, .allocs = 99 };
}

static uint64_t total(const struct heap *h, const char *event)
{
	for (size_t i = 0; i < h->profile->events.len; i++)
		if (!strcmp(profile_event_name(h->profile, i), event))
			return h->profile->events.data[i].value;
	return UINT64_MAX;
}

/* An entry that changed after the peak has saved its values at the peak; for other entries, memory in use was in use at the peak, too. */
static void counts_of_entries(void **state)
{
	struct made m;
	struct heap_region r;
	struct heap h;
	make(&m);
	assert_ok(heap_region_open(&r, &m, sizeof(m), "made"));
	heap_init(&h, false);
	heap_add(&h, &r, 7, NULL);
	assert_int_equal(total(&h, "alloc_objects"), 13);
	assert_int_equal(total(&h, "alloc_space"), 1030);
	assert_int_equal(total(&h, "inuse_objects"), 9);
	assert_int_equal(total(&h, "inuse_space"), 630);
	assert_int_equal(total(&h, "peak_space"), 930);
	assert_int_equal(total(&h, "leak_space"), UINT64_MAX);
	assert_int_equal(h.sizes[12].alloc_objects, 10);
	heap_deinit(&h);
}

static const struct profile_frame *innermost(const struct profile *p, uint64_t alloc_objects)
{
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == HEAP_ALLOC_OBJECTS && p->rows.data[i].value == alloc_objects)
			return &p->frames.data[p->stacks.data[p->rows.data[i].stack].frame];
	return NULL;
}

/*
 * Addresses of an entry belong to the module loaded at the time; a return address stands for the call before it, an interrupted one
 * for itself.
 */
static void modules_of_their_time(void **state)
{
	struct made m;
	struct heap_region r;
	struct heap h;
	make(&m);
	assert_ok(heap_region_open(&r, &m, sizeof(m), "made"));
	heap_init(&h, false);
	heap_add(&h, &r, 7, NULL);
	const struct profile *p = h.profile;
	const struct profile_frame *first = innermost(p, 10), *second = innermost(p, 3);
	assert_non_null(first);
	assert_non_null(second);
	assert_string_equal(profile_str(p, p->mappings.data[first->mapping].path), "/lib/first.so");
	assert_int_equal(first->addr, 0x10);
	assert_string_equal(profile_str(p, p->mappings.data[second->mapping].path), "/lib/second.so");
	assert_int_equal(second->addr, 0x811);
	heap_deinit(&h);
}

/* With any value in a 32-bit number, nothing is read outside of the region: checked by the sanitizers. */
static void damaged_regions(void **state)
{
	struct made *m = xmalloc(sizeof(*m));
	static const uint32_t wrong[] = { 0, 1, 0x7fffffff, 0xffffffff, sizeof(*m) - 8 };
	unsigned opened = 0;
	for (size_t at = 0; at + 4 <= sizeof(*m); at += 4)
		for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
			struct heap_region r;
			struct heap h;
			make(m);
			memcpy((char *)m + at, &wrong[i], 4);
			struct strobe_error *err = heap_region_open(&r, m, sizeof(*m), "damaged");
			heap_init(&h, false);
			if (!err)
				heap_add(&h, &r, 7, NULL);
			opened += !err;
			error_destroy(err);
			heap_deinit(&h);
		}
	assert_true(opened > 100);
	free(m);
}

static void size_classes(void **state)
{
	for (unsigned size = 1; size < 100000; size++) {
		uint8_t class = alloc_size_class(size);
		assert_true(alloc_class_size(class) <= size);
		assert_true(alloc_class_size((uint8_t)(class + 1)) > size);
	}
	assert_int_equal(alloc_class_size(alloc_size_class(UINT64_MAX)), (uint64_t)7 << 61);
}

/* ---- marking ---- */

#define MEMORY 0x10000

static size_t read_memory(void *ctx, uint64_t address, void *ret, size_t bytes)
{
	if (address < MEMORY || address >= MEMORY + 4096)
		return 0;
	bytes = bytes < MEMORY + 4096 - address ? bytes : MEMORY + 4096 - address;
	memcpy(ret, (char *)ctx + (address - MEMORY), bytes);
	return bytes;
}

static bool is_reached(const struct mark *m, uint64_t address)
{
	for (size_t i = 0; i < m->blocks.len; i++)
		if (m->blocks.data[i].address == address)
			return m->blocks.data[i].is_reached;
	fail();
	return false;
}

/*
 * A root points to a, a into b, b to the byte after c; d and e point to each other; f is reached by a register, and has no bytes; g's
 * address lies across two words.
 */
static void what_is_reached(void **state)
{
	static uint64_t memory[512];
	enum { A = MEMORY + 0x100, B = MEMORY + 0x200, C = MEMORY + 0x300, D = MEMORY + 0x400, E = MEMORY + 0x500, F = MEMORY + 0x600,
	       G = MEMORY + 0x700 };
	static const uint64_t blocks[] = { G, D, F, A, C, B, E };
	struct mark m = { .read = read_memory, .ctx = memory };
	uint64_t g = G;
	for (size_t i = 0; i < 7; i++)
		vec_push(&m.blocks, ((struct mark_block){ .address = blocks[i], .size = blocks[i] == F ? 0 : 0x20 }));
	memory[1] = A;
	memory[0x100 / 8 + 3] = B + 0x1f;
	memory[0x200 / 8] = C + 0x20;
	memory[0x400 / 8] = E;
	memory[0x500 / 8] = D;
	memcpy((char *)memory + 0x24, &g, sizeof(g));
	mark_begin(&m);
	mark_range(&m, MEMORY, MEMORY + 0x40);
	mark_word(&m, F);
	mark_finish(&m);
	assert_true(is_reached(&m, A));
	assert_true(is_reached(&m, B));
	assert_false(is_reached(&m, C));
	assert_false(is_reached(&m, D));
	assert_false(is_reached(&m, E));
	assert_true(is_reached(&m, F));
	assert_false(is_reached(&m, G));
	assert_true(mark_has_blocks(&m, G, G + 1));
	assert_false(mark_has_blocks(&m, G + 1, G + 0x100));
	mark_deinit(&m);
}

/*
 * Roots reach without a pointer: a, and b that it points to beyond its first 8 bytes, which a limit forbids. An address that is not
 * aligned reaches c where those count. 16-aligned ones in the last 8 bytes reach no block (d) from a C library's data, others do (e).
 */
static void what_the_checker_changes(void **state)
{
	static uint64_t memory[512];
	enum { A = MEMORY + 0x100, B = MEMORY + 0x200, C = MEMORY + 0x300, D = MEMORY + 0x400, E = MEMORY + 0x500 };
	static const uint64_t blocks[] = { A, B, C, D, E };
	uint64_t c = C;
	memory[0x100 / 8] = B + 0x10;
	memcpy((char *)memory + 3, &c, sizeof(c));
	memory[4] = D + 0x20;
	memory[5] = E + 0x10;
	for (int i = 0; i < 2; i++) {
		struct mark m = { .read = read_memory, .ctx = memory, .step = i ? 1 : 8, .offset_most = i ? 8 : 0, .skips_ends = true };
		for (size_t n = 0; n < 5; n++)
			vec_push(&m.blocks, ((struct mark_block){ .address = blocks[n], .size = 0x28, .is_root = blocks[n] == A }));
		mark_begin(&m);
		mark_range(&m, MEMORY, MEMORY + 0x40);
		mark_finish(&m);
		assert_true(is_reached(&m, A));
		assert_int_equal(is_reached(&m, B), i == 0);
		assert_int_equal(is_reached(&m, C), i == 1);
		assert_false(is_reached(&m, D));
		assert_int_equal(is_reached(&m, E), i == 0);
		mark_deinit(&m);
	}
}

/* Births are compared modulo 2^48, also across the counter's overflow. */
static void births(void **state)
{
	static const uint64_t moments[] = { 1000, ((uint64_t)1 << 32) + 5, ALLOC_BORN_MASK - 3 };
	for (int i = 0; i < 3; i++) {
		struct alloc_slot before = alloc_slot_make(7, moments[i] - 1, (uint64_t)1 << 46);
		struct alloc_slot at = alloc_slot_make(7, moments[i], 5), after = alloc_slot_make(7, moments[i] + 100, 5);
		assert_int_equal(before.entry, 8);
		assert_int_equal(before.size, (uint64_t)1 << 46);
		assert_false(before.is_ignored);
		assert_false(alloc_slot_is_since(&before, moments[i]));
		assert_true(alloc_slot_is_since(&at, moments[i]));
		assert_true(alloc_slot_is_since(&after, moments[i]));
		assert_int_equal(alloc_slot_age(&before, moments[i] + 6), 7);
		assert_int_equal(alloc_slot_age(&after, (moments[i] + 107) & ALLOC_BORN_MASK), 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_entries), cmocka_unit_test(modules_of_their_time), cmocka_unit_test(damaged_regions),
		cmocka_unit_test(size_classes), cmocka_unit_test(what_is_reached), cmocka_unit_test(what_the_checker_changes),
		cmocka_unit_test(births),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
