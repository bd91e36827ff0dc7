/* Paths below another root, as perf 7.2 has them. */
#include "base/testing.h"

#include <string.h>

#include "base/cleanup.h"
#include "object/sysroot.h"

static void files_below_another_root(void **state)
{
	static const struct { const char *root, *directory, *path; } cases[] = {
		{ NULL, NULL, "/usr/bin/x" },           { "/r", "/r", "/r/usr/bin/x" },  { "/r,hierarchy", "/r", "/r/usr/bin/x" },
		{ "/r,flat", "/r", "/r/x" },            { "a,b,flat", "a,b", "a,b/x" },  { "a,b,hierarchy", "a,b", "a,b/usr/bin/x" },
	};
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		_cleanup_free_ char *path = sysroot_path(cases[k].root, "/usr/bin/x");
		_cleanup_free_ char *directory = cases[k].root ? sysroot_directory(cases[k].root) : NULL;
		assert_string_equal(path, cases[k].path);
		assert_true(!directory || !strcmp(directory, cases[k].directory));
		assert_true(!cases[k].root || !sysroot_check(cases[k].root));
	}
	static const char *const wrong[] = { "a,b", "a,", "a,flat,", "a,FLAT" };
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		_cleanup_error_ struct strobe_error *err = sysroot_check(wrong[k]);
		assert_true(err && err->code == ERROR_USAGE && strstr(err->message, "Invalid layout"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_below_another_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
