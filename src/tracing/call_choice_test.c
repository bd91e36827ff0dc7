/* Which calls are traced, and the filter that the kernel gets for them. */
#include "tracing/call_choice.h"

#include <stdlib.h>

#include "base/testing.h"

static void assert_filter(const char *words, const char *expected)
{
	struct call_choice c;
	assert_ok(call_choice_make(&c, &arch_x86_64, words));
	char *filter = call_choice_filter(&c.chosen);
	assert_string_equal(filter, expected);
	free(filter);
	call_choice_deinit(&c);
}

/* x86-64: read 0, write 1, open 2, close 3, openat 257. */
static void numbers_that_follow_each_other_are_ranges(void **state)
{
	assert_filter("close", "id == 3");
	assert_filter("write,read", "(id >= 0 && id <= 1)");
	assert_filter("read,write,close,openat", "(id >= 0 && id <= 1) || id == 3 || id == 257");
}

static void no_call_passes_an_empty_filter(void **state)
{
	struct syscall_set none = {};
	char *filter = call_choice_filter(&none);
	assert_string_equal(filter, "id == 512");
	free(filter);
}

static void each_width_has_its_numbers(void **state)
{
	struct call_choice c;
	assert_ok(call_choice_make(&c, &arch_x86_64, "close"));
	struct call_pairs_setup pairs = call_choice_pairs(&c, NULL);
	assert_true(syscall_set_has(pairs.chosen, 3) && !syscall_set_has(pairs.chosen, 6));
	assert_true(syscall_set_has(pairs.compat_chosen, 6) && !syscall_set_has(pairs.compat_chosen, 3)); /* i386 */
	call_choice_deinit(&c);
	assert_ok(call_choice_make(&c, &arch_x86_64, NULL));
	assert_null(call_choice_pairs(&c, NULL).chosen);
	call_choice_deinit(&c);
	assert_ok(call_choice_make(&c, NULL, "close"));
	assert_null(c.native);
	call_choice_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_follow_each_other_are_ranges),
		cmocka_unit_test(no_call_passes_an_empty_filter),
		cmocka_unit_test(each_width_has_its_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
