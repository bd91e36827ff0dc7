/* Allocations by hand: sums of objects and pages, their order, names of flags. */
#include "analysis/kmem/gfp.h"
#include "analysis/kmem/kmem_pages.h"
#include "analysis/kmem/kmem_slab.h"
#include "base/testing.h"

#define PAGE_BYTES 4096

/* Two sites; the object at 0x100 goes from one to the other, is freed on another CPU, then twice more. */
static void test_slab(void **state)
{
	struct kmem_slab s = {};
	struct kmem_keys keys;
	(void)state;
	assert_true(kmem_slab_alloc(&s, 0xa, 0x100, 24, 32, 0));
	kmem_slab_free(&s, 0x100, 0);
	assert_true(kmem_slab_alloc(&s, 0xb, 0x100, 60, 64, 1));
	kmem_slab_free(&s, 0x100, 0);
	kmem_slab_free(&s, 0x999, 0);
	assert_false(kmem_slab_alloc(&s, 0xa, 0x200, 30, 32, 0));
	assert_int_equal(s.requested, 24 + 60 + 30);
	assert_int_equal(s.given, 32 + 64 + 32);
	assert_int_equal(s.freed, 32 + 64);
	assert_int_equal(s.allocs, 3);
	assert_ok(kmem_keys_parse(KMEM_SLAB, NULL, &keys));
	kmem_slab_sort(&s.callers, &keys);
	/* 54 of 64 are 15.6 % of waste, 60 of 64 are 6.25 % */
	assert_int_equal(s.callers.list.data[0].callsite, 0xa);
	assert_int_equal(s.callers.list.data[0].hits, 2);
	assert_int_equal(s.callers.list.data[0].pingpongs, 0);
	assert_int_equal(s.callers.list.data[1].pingpongs, 1);
	assert_true(kmem_slab_fragmentation(60, 64) == 6.25);
	assert_true(kmem_slab_fragmentation(0, 0) == 0);
	assert_ok(kmem_keys_parse(KMEM_SLAB, "hit", &keys));
	kmem_slab_sort(&s.objects, &keys);
	assert_int_equal(s.objects.list.data[0].address, 0x100);
	assert_int_equal(s.objects.list.data[0].callsite, 0xb);
	assert_int_equal(s.objects.list.data[0].given, 96);
	kmem_slab_deinit(&s);
}

static void play(struct kmem_pages *p)
{
	const struct kmem_page_row small = { .page = 7, .callsite = 0xa, .order = 0, .migratetype = 1, .gfp = 0xcc0 };
	const struct kmem_page_row large = { .page = 64, .callsite = 0xb, .order = 3, .migratetype = 9, .gfp = 0xcc0 };
	p->page_bytes = PAGE_BYTES;
	kmem_pages_alloc(p, &small);
	kmem_pages_free(p, 7, 0);
	kmem_pages_alloc(p, &small);
	kmem_pages_alloc(p, &large);
	kmem_pages_fail(p, 1);
	kmem_pages_free(p, 1000, 2);
	kmem_pages_free(p, 7, 0);
}

static void finish(struct kmem_pages *p)
{
	struct kmem_keys keys;
	assert_ok(kmem_keys_parse(KMEM_PAGES, NULL, &keys));
	kmem_pages_finish(p, &keys, &keys);
}

static void test_pages(void **state)
{
	struct kmem_pages p = {};
	(void)state;
	play(&p);
	finish(&p);
	assert_int_equal(p.allocs.requests, 4);
	assert_int_equal(p.allocs.bytes, (1 + 1 + 8 + 2) * PAGE_BYTES);
	assert_int_equal(p.frees.requests, 3);
	assert_int_equal(p.frees.bytes, (1 + 4 + 1) * PAGE_BYTES);
	assert_int_equal(p.unmatched_frees.requests, 1);
	assert_int_equal(p.unmatched_frees.bytes, 4 * PAGE_BYTES);
	assert_int_equal(p.failures.bytes, 2 * PAGE_BYTES);
	assert_int_equal(p.orders[0][1], 2);
	assert_int_equal(p.orders[3][KMEM_MIGRATETYPES - 1], 1);
	assert_int_equal(p.pages.list.len, 2);
	assert_int_equal(p.pages.list.data[0].page, 64);
	assert_int_equal(p.pages.list.data[1].bytes, 2 * PAGE_BYTES);
	assert_int_equal(p.pages.list.data[1].hits, 2);
	assert_int_equal(p.callers.list.len, 2);
	kmem_pages_deinit(&p);
}

/* Of the same, the large one is left. */
static void test_live_pages(void **state)
{
	struct kmem_pages p = { .live = true };
	(void)state;
	play(&p);
	finish(&p);
	assert_int_equal(p.orders[0][1], 0);
	assert_int_equal(p.orders[3][KMEM_MIGRATETYPES - 1], 1);
	assert_int_equal(p.pages.list.len, 1);
	assert_int_equal(p.pages.list.data[0].page, 64);
	assert_int_equal(p.callers.list.len, 1);
	assert_int_equal(p.callers.list.data[0].callsite, 0xb);
	assert_int_equal(p.callers.list.data[0].bytes, 8 * PAGE_BYTES);
	kmem_pages_deinit(&p);
}

static void test_gfp(void **state)
{
	static const char line[] = "page=0x1 pfn=0x1 order=0 migratetype=0 gfp_flags=GFP_KERNEL|__GFP_COMP|__GFP_NEW";
	struct gfp_texts t = {};
	(void)state;
	gfp_texts_add(&t, 0x40cc0, line, sizeof(line) - 1);
	gfp_texts_add(&t, 0xcc0, "gfp_flags=GFP_KERNEL x", 22);
	gfp_texts_add(&t, 1, "nothing", 7);
	gfp_texts_sort(&t);
	assert_int_equal(t.list.data[0].flags, 1);
	assert_string_equal(gfp_brief(&t, 0x40cc0), "K|C|__GFP_NEW");
	assert_string_equal(gfp_full(&t, 0x40cc0), "GFP_KERNEL|__GFP_COMP|__GFP_NEW");
	assert_string_equal(gfp_full(&t, 0xcc0), "GFP_KERNEL");
	assert_string_equal(gfp_brief(&t, 1), "");
	assert_string_equal(gfp_brief(&t, 2), "");
	gfp_texts_deinit(&t);
}

static void test_keys(void **state)
{
	struct kmem_keys keys;
	(void)state;
	assert_ok(kmem_keys_parse(KMEM_PAGES, "order, hit", &keys));
	assert_int_equal(keys.nr, 2);
	assert_int_equal(keys.keys[0], KMEM_PAGE_ORDER);
	assert_fails(kmem_keys_parse(KMEM_PAGES, "frag", &keys), ERROR_USAGE);
	assert_fails(kmem_keys_parse(KMEM_SLAB, "order", &keys), ERROR_USAGE);
	assert_fails(kmem_keys_parse(KMEM_SLAB, "hit,hit,hit,hit,hit,hit,hit,hit,hit,hit,hit", &keys), ERROR_USAGE);
}

static void test_keys_of_several(void **state)
{
	(void)state;
	static const bool both[] = { true, true }, pages[] = { false, true };
	const char *none[] = { NULL, NULL }, *own[] = { "hit", NULL };
	struct kmem_keys keys[KMEM_ALLOCATORS];
	assert_ok(kmem_keys_choose(none, "bytes,hit", both, keys));
	assert_int_equal(keys[KMEM_SLAB].nr, 2);
	assert_int_equal(keys[KMEM_PAGES].nr, 2);
	assert_ok(kmem_keys_choose(own, "order", both, keys)); /* of one alone */
	assert_int_equal(keys[KMEM_SLAB].keys[0], KMEM_HIT);
	assert_int_equal(keys[KMEM_PAGES].keys[0], KMEM_PAGE_ORDER);
	assert_fails(kmem_keys_choose(none, "frag", pages, keys), ERROR_USAGE);
	assert_fails(kmem_keys_choose((const char *[]){ "order", NULL }, NULL, both, keys), ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slab), cmocka_unit_test(test_pages), cmocka_unit_test(test_live_pages),
		cmocka_unit_test(test_gfp),  cmocka_unit_test(test_keys),  cmocka_unit_test(test_keys_of_several),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
