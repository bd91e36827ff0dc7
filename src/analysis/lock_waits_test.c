/* Beginnings and ends written by hand, and the sums that they come to. */
#include "analysis/lock_waits.h"

#include "analysis/lock_kind.h"
#include "base/testing.h"

#define A 0xffff888000000010u
#define B 0xffff888000000020u

static size_t stat_of(struct lock_waits *w, uint64_t key)
{
	bool is_new;
	return lock_waits_stat(w, key, &is_new);
}

/* Thread 7 waits 300 and 100 ns, thread 8 400 ns meanwhile: 800 of 3, the least 100. */
static void test_sums(void **state)
{
	struct lock_waits w = {};
	size_t s = stat_of(&w, 1);
	lock_waits_begin(&w, s, 7, A, 1000);
	lock_waits_begin(&w, s, 8, A, 1100);
	lock_waits_end(&w, 7, A, 1300);
	lock_waits_end(&w, 8, A, 1500);
	lock_waits_begin(&w, s, 7, A, 2000);
	lock_waits_end(&w, 7, A, 2100);
	const struct lock_stat *st = &w.stats.data[s];
	assert_int_equal(st->contended, 3);
	assert_int_equal(st->acquired, 3);
	assert_int_equal(st->total_ns, 800);
	assert_int_equal(st->max_ns, 400);
	assert_int_equal(st->min_ns, 100);
	assert_int_equal(st->average_ns, 266);
	lock_waits_finish(&w);
	assert_int_equal(w.unknown, 0);
	lock_waits_deinit(&w);
}

/* A mutex is spun on from 100, slept for from 150, taken at 400: one wait of 300. A lock within it is another. */
static void test_nested(void **state)
{
	struct lock_waits w = {};
	size_t outer = stat_of(&w, 1), inner = stat_of(&w, 2);
	lock_waits_begin(&w, outer, 7, A, 100);
	lock_waits_begin(&w, inner, 7, A, 150);
	lock_waits_begin(&w, inner, 7, B, 200);
	lock_waits_end(&w, 7, B, 250);
	lock_waits_end(&w, 7, A, 400);
	assert_int_equal(w.stats.data[outer].total_ns, 300);
	assert_int_equal(w.stats.data[outer].contended, 1);
	assert_int_equal(w.stats.data[inner].total_ns, 50);
	assert_int_equal(w.stats.data[inner].contended, 1);
	lock_waits_deinit(&w);
}

/* Ends without a beginning, and an end at another place than the beginning. */
static void test_ends(void **state)
{
	struct lock_waits w = {};
	size_t s = stat_of(&w, 1);
	lock_waits_end(&w, 7, A, 100);
	assert_int_equal(w.stats.data[s].acquired, 0);
	lock_waits_begin(&w, s, 7, A, 200);
	lock_waits_end(&w, 7, B, 250);
	lock_waits_end(&w, 8, A, 260);
	lock_waits_end(&w, 7, A, 230);
	lock_waits_end(&w, 7, A, 900);
	assert_int_equal(w.stats.data[s].total_ns, 30);
	lock_waits_begin(&w, s, 7, A, 1000);
	lock_waits_end(&w, 7, A, 990); /* the clock went back */
	assert_int_equal(w.stats.data[s].total_ns, 30);
	assert_int_equal(w.unknown, 1);
	lock_waits_deinit(&w);
}

/* After a gap the end at 900 may be that of a later wait: nothing is counted of it. */
static void test_lost(void **state)
{
	struct lock_waits w = {};
	size_t s = stat_of(&w, 1);
	lock_waits_begin(&w, s, 7, A, 100);
	lock_waits_gap(&w);
	lock_waits_end(&w, 7, A, 900);
	assert_int_equal(w.stats.data[s].total_ns, 0);
	assert_int_equal(w.unknown, 1);
	lock_waits_begin(&w, s, 7, A, 1000);
	lock_waits_end(&w, 7, A, 1040);
	assert_int_equal(w.stats.data[s].total_ns, 40);
	lock_waits_deinit(&w);
}

/* Thread 7 ends while it waits; the next of that ID waits 10. */
static void test_thread_ends(void **state)
{
	struct lock_waits w = {};
	size_t s = stat_of(&w, 1);
	lock_waits_begin(&w, s, 7, A, 100);
	lock_waits_thread_ended(&w, 7);
	lock_waits_begin(&w, s, 7, A, 500);
	lock_waits_end(&w, 7, A, 510);
	lock_waits_finish(&w);
	assert_int_equal(w.stats.data[s].total_ns, 10);
	assert_int_equal(w.stats.data[s].contended, 2);
	assert_int_equal(w.unknown, 1);
	lock_waits_deinit(&w);
}

/* Taken at once, then after 70; two readers; tried; released without having been taken is broken. */
static void test_lockdep(void **state)
{
	struct lock_waits w = {};
	size_t s = stat_of(&w, A), r = stat_of(&w, B), bad = stat_of(&w, 3);
	lock_waits_acquire(&w, s, 7, A, 100, 0);
	lock_waits_acquired(&w, s, 7, A, 101);
	lock_waits_release(&w, s, 7, A);
	lock_waits_acquire(&w, s, 7, A, 200, 0);
	lock_waits_contended(&w, s, 7, A, 210);
	lock_waits_acquired(&w, s, 7, A, 280);
	lock_waits_release(&w, s, 7, A);
	assert_int_equal(w.stats.data[s].acquired, 2);
	assert_int_equal(w.stats.data[s].contended, 1);
	assert_int_equal(w.stats.data[s].released, 2);
	assert_int_equal(w.stats.data[s].total_ns, 70);
	lock_waits_acquire(&w, r, 7, B, 300, LOCK_ACQUIRE_READ);
	lock_waits_acquire(&w, r, 7, B, 310, LOCK_ACQUIRE_READ);
	lock_waits_release(&w, r, 7, B);
	lock_waits_release(&w, r, 7, B);
	assert_int_equal(w.stats.data[r].acquired, 2);
	assert_int_equal(w.stats.data[r].released, 2);
	assert_false(w.stats.data[r].is_broken);
	lock_waits_acquire(&w, bad, 7, 3, 400, 0);
	lock_waits_release(&w, bad, 7, 3);
	lock_waits_acquired(&w, bad, 7, 3, 410);
	assert_true(w.stats.data[bad].is_broken);
	assert_int_equal(w.broken[LOCK_BREAK_RELEASE], 1);
	assert_int_equal(w.stats.data[bad].acquired, 0);
	lock_waits_deinit(&w);
}

/* Flags of include/trace/events/lock.h. */
static void test_kinds(void **state)
{
	lock_flag_list list = {};
	assert_string_equal(lock_kind_access(0), "semaphore");
	assert_string_equal(lock_kind_access(1), "spinlock");
	assert_string_equal(lock_kind_access(1 | 4), "rwlock:W");
	assert_string_equal(lock_kind_access(2), "rwsem:R");
	assert_string_equal(lock_kind_name(16 | 2), "percpu-rwsem");
	assert_string_equal(lock_kind_access(32 | 1), "mutex");
	assert_string_equal(lock_kind_access(64), "unknown");
	assert_null(lock_kinds_parse("rwsem, mutex:spin", &list));
	assert_int_equal(list.len, 3);
	assert_true(lock_kinds_have(&list, 2) && lock_kinds_have(&list, 4) && lock_kinds_have(&list, 33));
	assert_false(lock_kinds_have(&list, 1) || lock_kinds_have(&list, 32));
	struct strobe_error *err = lock_kinds_parse("rws", &list);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
	vec_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums), cmocka_unit_test(test_nested), cmocka_unit_test(test_ends), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_thread_ends), cmocka_unit_test(test_lockdep), cmocka_unit_test(test_kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
