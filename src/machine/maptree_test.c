#include "base/testing.h"

#include <stdlib.h>

#include "machine/maptree_priv.h"

static struct map *new_map(struct arena *a, uint64_t start, uint64_t end, uint64_t pgoff)
{
	struct map *m = arena_new(a, struct map);
	m->start = start;
	m->end = end;
	m->pgoff = pgoff;
	return m;
}

static void a_map_is_seen_from_its_time_on(void **state)
{
	struct arena a;
	arena_init(&a);
	struct maptree t = { .arena = &a };
	const struct map_node *root = maptree_insert(&t, NULL, new_map(&a, 10, 20, 0), 100, 1);
	assert_null(maptree_find(root, 15, 99));
	assert_non_null(maptree_find(root, 15, 100));
	assert_non_null(maptree_find(root, 10, 100));
	assert_null(maptree_find(root, 20, 100));
	assert_null(maptree_find(root, 9, 100));
	arena_deinit(&a);
}

static void clearing_cuts_both_ends(void **state)
{
	struct arena a;
	arena_init(&a);
	struct maptree t = { .arena = &a };
	const struct map_node *old = maptree_insert(&t, NULL, new_map(&a, 100, 200, 1000), 5, 1);
	const struct map_node *cut = maptree_clear(&t, old, 140, 160, 2);
	assert_int_equal(maptree_find(cut, 139, 5)->end, 140);
	assert_null(maptree_find(cut, 140, 5));
	assert_null(maptree_find(cut, 159, 5));
	assert_int_equal(maptree_find(cut, 160, 5)->pgoff, 1060);
	assert_int_equal(maptree_find(cut, 199, 5)->start, 160);
	/* The older edition still has the whole map. */
	assert_int_equal(maptree_find(old, 150, 5)->start, 100);
	arena_deinit(&a);
}

/* Against an array of one owner for each address: the second source. */
static void random_changes_agree_with_a_plain_array(void **state)
{
	enum { SPAN = 400, STEPS = 3000, KEPT = 8 };
	struct arena a;
	arena_init(&a);
	struct maptree t = { .arena = &a };
	const struct map_node *root = NULL, *kept_root[KEPT];
	uint64_t owner[SPAN] = { 0 }, kept[KEPT][SPAN];
	unsigned n_kept = 0;
	uint32_t edition = 1;
	srand(7);
	for (unsigned step = 1; step <= STEPS; step++) {
		uint64_t start = (uint64_t)rand() % (SPAN - 1), end = start + 1 + (uint64_t)rand() % (SPAN - start);
		if (end > SPAN)
			end = SPAN;
		if (rand() % 2 && end - start > 10)
			end = start + 10;
		edition++;
		root = maptree_clear(&t, root, start, end, edition);
		bool add = rand() % 4;
		if (add)
			root = maptree_insert(&t, root, new_map(&a, start, end, (uint64_t)step << 32), 0, edition);
		for (uint64_t i = start; i < end; i++)
			owner[i] = add ? ((uint64_t)step << 32) + (i - start) : 0;
		if (step % (STEPS / KEPT) == 0) {
			kept_root[n_kept] = root;
			memcpy(kept[n_kept++], owner, sizeof(owner));
		}
	}
	for (unsigned k = 0; k < n_kept; k++)
		for (uint64_t i = 0; i < SPAN; i++) {
			const struct map *m = maptree_find(kept_root[k], i, 0);
			assert_int_equal(m ? m->pgoff + (i - m->start) : 0, kept[k][i]);
		}
	arena_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_is_seen_from_its_time_on),
		cmocka_unit_test(clearing_cuts_both_ends),
		cmocka_unit_test(random_changes_agree_with_a_plain_array),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
