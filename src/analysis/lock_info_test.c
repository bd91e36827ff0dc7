/* The list of locks, ordered by hand: by address, those of one address by name. */
#include "analysis/lock_info.h"

#include "base/testing.h"

static void add_lock(struct lock_waits *w, uint64_t key, uint64_t address, const char *name)
{
	bool is_new;
	size_t at = lock_waits_stat(w, key, &is_new);
	w->stats.data[at].address = address;
	w->stats.data[at].name = name;
}

static void test_map(void **state)
{
	static const char *const expected[][2] = {
		{ "0xffff888000000010", "" }, { "0xffff888000000020", "mutex" }, { "0xffff888000000020", "rq->lock" },
	};
	struct lock_waits w = {};
	struct table t;
	add_lock(&w, 1, 0xffff888000000020, "rq->lock");
	add_lock(&w, 2, 0xffff888000000020, "mutex");
	add_lock(&w, 3, 0xffff888000000010, NULL);
	lock_map_table(&t, &w);
	assert_int_equal(t.rows.len, 3);
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 2; j++)
			assert_string_equal(table_cell(&t, i, j)->text, expected[i][j]);
	table_deinit(&t);
	lock_waits_deinit(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_map) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
