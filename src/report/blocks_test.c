/* Blocks from hand-written branches, and the listing of a function with four instructions. */
#include "report/blocks.h"

#include "base/testing.h"
#include "table/listing.h"

static const char f[] = "f", g[] = "g", file[] = "file"; /* functions and their object: only their addresses count */

static struct block_place at(const char *function, uint64_t addr)
{
	return (struct block_place){ function, function ? file : NULL, addr };
}

static void add(struct blocks *b, uint32_t event, struct block_place from, struct block_place end, uint64_t cycles)
{
	blocks_add(b, event, &from, &end, cycles);
}

static void blocks_of_one_end_are_one(void **state)
{
	struct blocks b;
	blocks_init(&b, 1);
	add(&b, 0, at(f, 0x10), at(f, 0x20), 10);
	add(&b, 0, at(f, 0x08), at(f, 0x20), 4); /* an earlier start */
	add(&b, 0, at(f, 0x18), at(f, 0x20), 16);
	assert_int_equal(b.all.len, 1);
	const struct block *k = &b.all.data[0];
	assert_int_equal(k->start, 0x08);
	assert_int_equal(k->end.addr, 0x20);
	assert_ptr_equal(k->end.object, file);
	assert_int_equal(k->times, 3);
	assert_int_equal(k->cycles, 30);
	assert_int_equal(block_average(k), 10);
	assert_int_equal(k->least, 4);
	assert_int_equal(k->most, 16);
	assert_int_equal(k->runs_nr, 1); /* of the two from later starts one was before it, one after */
	assert_int_equal(k->runs[0], 4);
	blocks_deinit(&b);
}

static void a_beginning_is_of_the_same_function_and_before_the_end(void **state)
{
	struct blocks b;
	blocks_init(&b, 1);
	add(&b, 0, at(g, 0x10), at(f, 0x20), 1);
	add(&b, 0, at(f, 0x20), at(f, 0x20), 1);
	add(&b, 0, at(f, 0x30), at(f, 0x20), 1);
	add(&b, 0, at(NULL, 0), at(f, 0x20), 1); /* the oldest branch: the one before it is unknown */
	assert_int_equal(b.all.len, 1);
	assert_int_equal(b.all.data[0].start, 0);
	assert_int_equal(b.all.data[0].times, 4);
	assert_int_equal(b.all.data[0].runs_nr, 4);
	blocks_deinit(&b);
}

static void cycles_without_a_function_count_in_the_whole(void **state)
{
	struct blocks b;
	blocks_init(&b, 2);
	add(&b, 1, at(f, 0x10), at(NULL, 0x20), 7);
	add(&b, 1, at(f, 0x10), at(f, 0x20), 5);
	add(&b, 1, at(f, 0x10), at(f, 0x40), 0); /* not counted */
	assert_int_equal(b.events[0].cycles, 0);
	assert_int_equal(b.events[1].cycles, 12);
	assert_int_equal(b.all.len, 1);
	assert_int_equal(b.all.data[0].cycles, 5);
	blocks_deinit(&b);
}

static void events_and_functions_are_apart_and_sorted(void **state)
{
	struct blocks b;
	blocks_init(&b, 2);
	add(&b, 1, at(f, 0x10), at(f, 0x20), 50);
	add(&b, 0, at(f, 0x10), at(f, 0x20), 5);
	add(&b, 0, at(g, 0x10), at(g, 0x20), 8);
	add(&b, 0, at(g, 0x10), at(g, 0x18), 8);
	blocks_sort(&b);
	assert_int_equal(b.all.len, 4);
	static const struct {
		uint32_t event;
		uint64_t addr, cycles;
	} expected[] = { { 0, 0x18, 8 }, { 0, 0x20, 8 }, { 0, 0x20, 5 }, { 1, 0x20, 50 } };
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(b.all.data[i].event, expected[i].event);
		assert_int_equal(b.all.data[i].end.addr, expected[i].addr);
		assert_int_equal(b.all.data[i].cycles, expected[i].cycles);
	}
	assert_ptr_equal(b.all.data[1].end.function, g);
	blocks_deinit(&b);
}

/* Instructions of 4 bytes at 0x10, 0x14, 0x18 and 0x1c. */
static struct listing *make_listing(void)
{
	static const uint8_t code[4];
	struct listing *l = listing_create();
	l->start = 0x10;
	l->end = 0x20;
	for (uint64_t addr = 0x10; addr < 0x20; addr += 4) {
		struct listing_insn insn = { .addr = addr, .code = code, .bytes = 4, .text = "nop",
					     .target_insn = LISTING_NONE, .place = LISTING_NONE };
		listing_insn(l, &insn);
	}
	return l;
}

static void a_listing_has_instructions_per_cycle(void **state)
{
	struct listing *l = make_listing();
	/* Twice, in 4 and 8 cycles: three instructions in 6 on average. */
	struct block b = { .end = at(f, 0x1c), .start = 0x14, .cycles = 12, .times = 2, .least = 4, .most = 8 };
	block_add_to_listing(&b, l);
	assert_int_equal(l->cycles.len, 4);
	assert_true(l->cycles.data[0].per_cycle == 0);
	for (size_t i = 1; i < 4; i++)
		assert_true(l->cycles.data[i].per_cycle == 0.5);
	assert_int_equal(l->cycles.data[3].average, 6);
	assert_int_equal(l->cycles.data[3].least, 4);
	assert_int_equal(l->cycles.data[3].most, 8);
	assert_int_equal(l->cycles.data[2].average, 0);
	listing_destroy(l);
}

static void a_block_of_unknown_beginning_or_elsewhere(void **state)
{
	struct listing *l = make_listing();
	struct block elsewhere = { .end = at(f, 0x40), .start = 0x14, .cycles = 3, .times = 1 };
	block_add_to_listing(&elsewhere, l);
	assert_int_equal(l->cycles.len, 0);
	struct block open = { .end = at(f, 0x18), .cycles = 3, .times = 1, .least = 3, .most = 3 };
	block_add_to_listing(&open, l);
	assert_int_equal(l->cycles.data[2].average, 3);
	for (size_t i = 0; i < 4; i++)
		assert_true(l->cycles.data[i].per_cycle == 0);
	listing_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_one_end_are_one),
		cmocka_unit_test(a_beginning_is_of_the_same_function_and_before_the_end),
		cmocka_unit_test(cycles_without_a_function_count_in_the_whole),
		cmocka_unit_test(events_and_functions_are_apart_and_sorted),
		cmocka_unit_test(a_listing_has_instructions_per_cycle),
		cmocka_unit_test(a_block_of_unknown_beginning_or_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
