/* arena, vector, hash, idset, strtab, u64map, sort */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/u64map.h"
#include "base/vector.h"

static void arena_gives_aligned_separate_pieces(void **state)
{
	struct arena a;
	arena_init(&a);
	char *pieces[1000];
	for (int i = 0; i < 1000; i++) {
		pieces[i] = arena_alloc_aligned(&a, (size_t)i, 1 << i % 7);
		assert_int_equal((uintptr_t)pieces[i] % (1u << i % 7), 0);
		memset(pieces[i], i, (size_t)i);
	}
	for (int i = 0; i < 1000; i++)
		for (int k = 0; k < i; k++)
			assert_int_equal((unsigned char)pieces[i][k], i & 255);
	memset(arena_alloc(&a, 5 << 20), 1, 5 << 20);
	assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	arena_reset(&a);
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	arena_deinit(&a);
	assert_int_equal(a.total_bytes, 0);
}

/* Pieces stay where they are when the arena that they were made in is emptied. */
static void arena_takes_what_another_holds(void **state)
{
	for (int pieces = 0; pieces < 2; pieces++) {
		struct arena to, from;
		arena_init(&to);
		arena_init(&from);
		if (pieces)
			arena_strdup(&to, "own");
		char *a = arena_strdup(&from, "first"), *large = memset(arena_alloc(&from, 3 << 20), 7, 3 << 20);
		size_t bytes = to.total_bytes + from.total_bytes;
		arena_take(&to, &from);
		assert_int_equal(to.total_bytes, bytes);
		assert_int_equal(from.total_bytes, 0);
		memset(arena_alloc(&from, 1000), 1, 1000);
		memset(arena_alloc(&to, 5000), 2, 5000);
		arena_deinit(&from);
		arena_take(&to, &from);
		assert_string_equal(a, "first");
		assert_int_equal(large[(3 << 20) - 1], 7);
		arena_deinit(&to);
	}
}

static void vector_keeps_order(void **state)
{
	VEC(int) v = {};
	for (int i = 0; i < 10000; i++)
		vec_push(&v, i);
	int *more = vec_extend(&v, 2);
	more[0] = -1;
	more[1] = -2;
	assert_int_equal(v.len, 10002);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(v.data[i], i);
	assert_int_equal(vec_last(&v), -2);
	vec_deinit(&v);
	assert_null(v.data);
}

static void vector_search_counts_the_first_ones(void **state)
{
	VEC(int) v = {};
	assert_int_equal(vec_search(&v, e, *e < 5), 0);
	for (int i = 0; i < 7; i++)
		vec_push(&v, i / 2 * 10); /* 0 0 10 10 20 20 30 */
	assert_int_equal(vec_search(&v, e, *e < 0), 0);
	assert_int_equal(vec_search(&v, e, *e <= 0), 2);
	assert_int_equal(vec_search(&v, e, *e < 20), 4);
	assert_int_equal(vec_search(&v, e, *e < 100), 7);
	vec_deinit(&v);
}

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return !strcmp(((const char *const *)table)[id], key);
}

static void idset_interns(void **state)
{
	static const char *const texts[] = { "one", "two" };
	struct idset set = {};
	assert_int_equal(idset_intern(&set, hash_str("one"), text_eq, texts, "one", 0), 0);
	assert_int_equal(idset_intern(&set, hash_str("two"), text_eq, texts, "two", 1), 1);
	assert_int_equal(idset_intern(&set, hash_str("one"), text_eq, texts, "one", 2), 0);
	assert_int_equal(set.used, 2);
	idset_deinit(&set);
}

static void hash_spreads_and_sees_every_byte(void **state)
{
	unsigned char buf[200] = { 0 };
	for (size_t n = 1; n < sizeof(buf); n++) {
		uint64_t h = hash_bytes(buf, n);
		assert_true(h != hash_bytes(buf, n - 1));
		for (size_t i = 0; i < n; i++) {
			buf[i] ^= 1;
			assert_true(hash_bytes(buf, n) != h);
			buf[i] ^= 1;
		}
	}
	/* 64 Ki short strings in 64 Ki buckets: about 37 % of the buckets stay empty when spread at random. */
	static unsigned char low[65536], high[65536];
	for (unsigned i = 0; i < 65536; i++) {
		uint64_t h = hash_bytes(&i, 4);
		low[h & 0xffff] = 1;
		high[h >> 48] = 1;
	}
	unsigned used_low = 0, used_high = 0;
	for (unsigned i = 0; i < 65536; i++) {
		used_low += low[i];
		used_high += high[i];
	}
	assert_in_range(used_low, 65536 * 60 / 100, 65536 * 66 / 100);
	assert_in_range(used_high, 65536 * 60 / 100, 65536 * 66 / 100);
}

static void strtab_interns(void **state)
{
	struct strtab t;
	strtab_init(&t);
	assert_int_equal(strtab_add(&t, ""), 0);
	char name[32];
	for (unsigned i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		assert_int_equal(strtab_add(&t, name), i + 1);
	}
	const char *first = strtab_get(&t, 1);
	for (unsigned i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		assert_int_equal(strtab_add(&t, name), i + 1);
		assert_int_equal(strtab_find(&t, name), i + 1);
		assert_string_equal(strtab_get(&t, i + 1), name);
	}
	assert_ptr_equal(first, strtab_get(&t, 1));
	assert_int_equal(strtab_find(&t, "absent"), IDSET_NONE);
	str_id nul = strtab_add_n(&t, "a\0b", 3);
	assert_int_equal(strtab_length(&t, nul), 3);
	assert_int_not_equal(strtab_add(&t, "a"), nul);
	static const char borrowed[] = "borrowed";
	str_id k = strtab_add_borrowed(&t, borrowed);
	assert_ptr_equal(strtab_get(&t, k), borrowed);
	assert_int_equal(strtab_add(&t, "borrowed"), k);
	assert_int_equal(strtab_length(&t, k), 8);
	assert_ptr_equal(strtab_get(&t, strtab_add_borrowed(&t, "a")), strtab_get(&t, strtab_add(&t, "a")));
	strtab_deinit(&t);
}

/* Against a plain array, with removals. */
static void u64map_agrees_with_an_array(void **state)
{
	struct u64map m = {};
	static uint64_t truth[4096];
	static bool there[4096];
	srand(1);
	size_t count = 0;
	for (int i = 0; i < 200000; i++) {
		uint64_t key = (uint64_t)rand() % 4096;
		bool is_new;
		if (rand() % 3) {
			uint64_t *v = u64map_put(&m, key << 12, &is_new);
			assert_int_equal(is_new, !there[key]);
			assert_int_equal(*v, there[key] ? truth[key] : 0);
			*v = truth[key] = (uint64_t)rand();
			count += !there[key];
			there[key] = true;
		} else {
			u64map_remove(&m, key << 12);
			count -= there[key];
			there[key] = false;
		}
		assert_int_equal(m.used, count);
	}
	for (uint64_t key = 0; key < 4096; key++) {
		uint64_t *v = u64map_get(&m, key << 12);
		assert_int_equal(v != NULL, there[key]);
		if (v)
			assert_int_equal(*v, truth[key]);
	}
	u64map_deinit(&m);
	assert_null(u64map_get(&m, 0));
	u64map_remove(&m, 0);
}

static int by_key_then_value(const void *pa, const void *pb)
{
	const struct sort_pair *a = pa, *b = pb;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* qsort by (key, position) is what a stable sort must give. */
static void sort_is_stable_and_agrees_with_qsort(void **state)
{
	static const uint64_t masks[] = { 0, 3, 0xff, 0xff00ff00, 0x3ffffffff, ~0ull, 0xff00000000000000 };
	static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 1000, 5000, 70000 };
	srand(2);
	for (size_t m = 0; m < sizeof(masks) / sizeof(*masks); m++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			size_t n = sizes[s];
			struct sort_pair *a = calloc(n + 1, sizeof(*a)), *b = calloc(n + 1, sizeof(*b));
			for (size_t i = 0; i < n; i++) {
				uint64_t random = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();
				a[i] = (struct sort_pair){ random & masks[m], i };
			}
			memcpy(b, a, n * sizeof(*a));
			sort_pairs(a, n);
			qsort(b, n, sizeof(*b), by_key_then_value);
			assert_memory_equal(a, b, n * sizeof(*a));
			sort_pairs(a, n);
			assert_memory_equal(a, b, n * sizeof(*a));
			free(a);
			free(b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_gives_aligned_separate_pieces),
		cmocka_unit_test(vector_keeps_order),
		cmocka_unit_test(vector_search_counts_the_first_ones),
		cmocka_unit_test(idset_interns),
		cmocka_unit_test(hash_spreads_and_sees_every_byte),
		cmocka_unit_test(arena_takes_what_another_holds),
		cmocka_unit_test(strtab_interns),
		cmocka_unit_test(u64map_agrees_with_an_array),
		cmocka_unit_test(sort_is_stable_and_agrees_with_qsort),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
