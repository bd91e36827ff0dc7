/* Names of this program's and its libraries' functions, against the compiler and the dynamic linker. */
#include "base/testing.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/names.c"

#define HERE __attribute__((noinline))

static HERE int hidden(int n)
{
	return n * 7 % 3;
}

static void test_own_functions(void **unused)
{
	struct name names[] = {
		{ .address = (uint64_t)(uintptr_t)test_own_functions + 4 },
		{ .address = (uint64_t)(uintptr_t)hidden },
		{ .address = 4096 },
	};
	names_find(names, 3);
	assert_int_equal(names[0].address, 4096);
	assert_null(names[0].text);
	assert_string_equal(names_text(names, 3, (uint64_t)(uintptr_t)hidden), "hidden");
	assert_string_equal(names_text(names, 3, (uint64_t)(uintptr_t)test_own_functions + 4), "test_own_functions");
	assert_null(names_text(names, 3, 4097));
	names_free(names, 3);
	assert_int_equal(hidden(1), 1);
}

/* For libraries, whose symbols dladdr() finds as well; a function may have several names. */
static void test_libraries(void **unused)
{
	static const char *const functions[] = { "fclose", "qsort_r", "pthread_create", "strtoull" };
	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *f = dlsym(RTLD_DEFAULT, functions[i]);
		struct name name = { .address = (uint64_t)(uintptr_t)f + 1 };
		assert_non_null(f);
		names_find(&name, 1);
		assert_non_null(name.text);
		void *same = dlsym(RTLD_DEFAULT, name.text);
		assert_true(same == f || !strncmp(name.text, "_", 1) || strstr(functions[i], name.text) || strstr(name.text, functions[i]));
		names_free(&name, 1);
	}
}

static void test_other_files(void **unused)
{
	struct name name = { .address = 1 };
	int fd = open("/dev/null", O_RDONLY);
	names_of_file(fd, &name, 1);
	assert_null(name.text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_functions),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_other_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
