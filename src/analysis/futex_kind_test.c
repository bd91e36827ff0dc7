/* Stacks as debuggers print them, of glibc 2.36 with and without symbols, of musl and of Rust; offsets by the C library's headers. */
#include "base/testing.h"

#include <pthread.h>
#include <string.h>

#include "analysis/futex_kind.h"

#define USE(...)                                                               \
	({                                                                     \
		const char *names_[] = { __VA_ARGS__ };                        \
		futex_use_of(names_, sizeof(names_) / sizeof(*names_));        \
	})

static void test_glibc(void **state)
{
	(void)state;
	struct futex_use u = USE("futex_wait", "__GI___lll_lock_wait", "lll_mutex_lock_optimized", "pthread_mutex_lock@@GLIBC_2.2.5",
				 "work");
	assert_int_equal(u.kind, FUTEX_MUTEX);
	assert_int_equal(u.caller, 4);
	assert_true(u.is_glibc);
	u = USE("__futex_abstimed_wait_common64", "__pthread_cond_wait_common", "pthread_cond_wait@@GLIBC_2.3.2",
		"std::condition_variable::wait(std::unique_lock<std::mutex>&)", "consume", "main");
	assert_int_equal(u.kind, FUTEX_COND);
	assert_int_equal(u.caller, 4);
	assert_int_equal(USE("__futex_abstimed_wait_common", "__pthread_rwlock_rdlock_full64", "read_it").kind, FUTEX_RWLOCK);
	assert_int_equal(USE("__futex_abstimed_wait_common", "__new_sem_wait_slow64.constprop.0", "f").kind, FUTEX_SEM);
	assert_int_equal(USE("__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "main").kind, FUTEX_JOIN);
	assert_int_equal(USE("__lll_lock_wait_private", "malloc", "main").kind, FUTEX_LIBC);
	assert_int_equal(USE("__lll_lock_wait_private", "malloc", "main").caller, 1);
	/* stripped: the wrappers have no names */
	u = USE("libc.so.6!func_85e20", NULL, "pthread_cond_timedwait", "take_gil");
	assert_int_equal(u.kind, FUTEX_COND);
	assert_int_equal(u.caller, 3);
}

static void test_others(void **state)
{
	(void)state;
	struct futex_use u = USE("__timedwait_cp", "pthread_mutex_timedlock", "work");
	assert_int_equal(u.kind, FUTEX_MUTEX);
	assert_false(u.is_glibc); /* musl's layout is another */
	u = USE("syscall", "std::sys::sync::mutex::futex::Mutex::lock_contended", "std::sync::mutex::Mutex<T>::lock", "app::work");
	assert_int_equal(u.kind, FUTEX_MUTEX);
	assert_false(u.is_glibc);
	assert_int_equal(u.caller, 3);
	u = USE("runtime.futex", "runtime.futexsleep", "runtime.notesleep");
	assert_int_equal(u.kind, FUTEX_OTHER);
	assert_int_equal(u.caller, 0);
	/* What waits by itself, below a callback of the library. */
	assert_int_equal(USE("my_wait", "init", "__pthread_once_slow", "main").kind, FUTEX_OTHER);
	assert_int_equal(futex_use_of(NULL, 0).caller, 0);
}

static void test_objects(void **state)
{
	(void)state;
	struct futex_use mutex = { FUTEX_MUTEX, true, 0 }, cond = { FUTEX_COND, true, 0 }, rwlock = { FUTEX_RWLOCK, true, 0 };
	struct futex_use other = { FUTEX_COND, false, 0 };
	assert_int_equal(futex_object(&mutex, 0x1000), 0x1000);
	assert_int_equal(futex_object(&cond, 0x1028), 0x1000);
	assert_int_equal(futex_object(&cond, 0x102c), 0x1000);
	assert_int_equal(futex_object(&rwlock, 0x1008), 0x1000);
	assert_int_equal(futex_object(&rwlock, 0x100c), 0x1000);
	assert_int_equal(futex_object(&other, 0x1028), 0x1028);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36) && defined(__LP64__)
	assert_int_equal(offsetof(pthread_cond_t, __data.__g_signals), 40);
	assert_int_equal(offsetof(pthread_rwlock_t, __data.__wrphase_futex), 8);
	assert_int_equal(offsetof(pthread_rwlock_t, __data.__writers_futex), 12);
	assert_int_equal(offsetof(pthread_mutex_t, __data.__owner), 8);
#endif
}

static void test_names(void **state)
{
	(void)state;
	unsigned kinds;
	assert_null(futex_kinds_parse("mutex,futex", &kinds));
	assert_int_equal(kinds, 1 << FUTEX_MUTEX | 1 << FUTEX_OTHER);
	struct strobe_error *err = futex_kinds_parse("mutex,spinlock", &kinds);
	assert_true(error_is(err, ERROR_USAGE));
	assert_non_null(strstr(err->message, "'spinlock'"));
	error_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glibc),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
