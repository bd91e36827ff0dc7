/* Scripts by name, in folders that the test creates. */
#include "scripting/bundled.h"

#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct folders {
	char top[32];
};

static void put(const struct folders *f, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/strobe/scripts/python/bin/%s", f->top, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin(struct folders *f)
{
	static const char *const parts[] = { "/strobe", "/strobe/scripts", "/strobe/scripts/python", "/strobe/scripts/python/bin" };
	*f = (struct folders){ .top = "/tmp/strobe-bundled-XXXXXX" };
	assert_non_null(mkdtemp(f->top));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		_cleanup_free_ char *path = xasprintf("%s%s", f->top, parts[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	setenv("XDG_CONFIG_HOME", f->top, 1);
	setenv("PERF_EXEC_PATH", "/nonexistent", 1);
}

static void end(const struct folders *f)
{
	_cleanup_free_ char *command = xasprintf("rm -r %s", f->top);
	assert_int_equal(system(command), 0);
}

static void heads_of_reports_describe_them(void **state)
{
	struct folders f;
	struct bundled_scripts s;
	const struct bundled_script *found;
	size_t words;
	begin(&f);
	put(&f, "tally-report", "#!/bin/sh\n# args: [-v] <word> <file>\n#description:  count samples\r\nperf script\n");
	put(&f, "tally-record", "perf record\n");
	put(&f, "cpu-top-report", "");
	put(&f, "notes", "of no script");
	bundled_scripts_find(&s);
	assert_int_equal(s.list.len, 2);
	assert_ok(bundled_scripts_get(&s, "tally", &found));
	assert_string_equal(found->arguments, "[-v] <word> <file>");
	assert_string_equal(found->description, "count samples");
	assert_string_equal(found->language, "python");
	assert_non_null(found->record);
	/* Words in angle brackets come first. */
	assert_ok(bundled_report_words(found, 5, &words));
	assert_int_equal(words, 2);
	assert_fails(bundled_report_words(found, 1, &words), ERROR_USAGE);
	assert_ok(bundled_scripts_get(&s, "cpu-top", &found));
	assert_null(found->record);
	assert_ok(bundled_report_words(found, 5, &words));
	assert_int_equal(words, 5);
	assert_fails(bundled_scripts_get(&s, "tall", &found), ERROR_NOT_FOUND);
	bundled_scripts_deinit(&s);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_of_reports_describe_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
