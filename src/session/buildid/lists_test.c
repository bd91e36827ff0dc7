/* Lists by build ID: rows, lines, and what a cache lacks. */
#include "base/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/buildid_cache.h"
#include "session/buildid/lists.h"
#include "view/text/table_text.h"

static const uint8_t id[] = { 0xab, 0xcd, 0x01 };

static struct recorded_files two_files(void)
{
	struct recorded_files files = {};
	vec_push(&files.list, ((struct recorded_file){ id, sizeof(id), "/usr/bin/a\n" }));
	vec_push(&files.list, ((struct recorded_file){ NULL, 0, "/usr/bin/b" }));
	return files;
}

static void expect(struct out *out, const char *expected)
{
	size_t bytes;
	const char *text = out_mem(out, &bytes);
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
	error_destroy(out_close(out));
}

static void expect_lines(struct table *t, const char *expected)
{
	struct out out;
	out_init_mem(&out);
	table_text(&out, t, NULL);
	expect(&out, expected);
	table_deinit(t);
}

static void files_are_rows_with_paths_where_there_are_any(void **state)
{
	(void)state;
	struct recorded_files files = two_files();
	struct table t;
	recorded_files_table(&files, &t);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(t.columns.len, 2);
	table_deinit(&t);
	vec_deinit(&files.list);
}

static void a_cache_lacks_files_that_have_ids(void **state)
{
	(void)state;
	char dir[] = "/tmp/strobe-lists-XXXXXX", hex[BUILDID_HEX_MAX];
	struct recorded_files files = two_files();
	struct table t;
	assert_non_null(mkdtemp(dir));
	recorded_files_missing_table(&files, dir, &t);
	expect_lines(&t, "abcd01 /usr/bin/a\\x0a\n");
	buildid_hex(id, sizeof(id), hex);
	assert_ok(buildid_cache_add(dir, hex, "/usr/bin/a"));
	assert_ok(buildid_cache_put_bytes(dir, hex, "elf", "x", 1));
	recorded_files_missing_table(&files, dir, &t);
	expect_lines(&t, "");
	buildid_cache_table(dir, &t);
	expect_lines(&t, "abcd01 /usr/bin/a\n");
	vec_deinit(&files.list);
	assert_ok(buildid_cache_remove(dir, hex));
	rmdir(dir);
}

static void maps_are_lines(void **state)
{
	(void)state;
	struct kernel_maps maps = {};
	struct out out;
	vec_push(&maps.list, ((struct kernel_map){ "[kernel.kallsyms]", 0xffffffff81000000, 0xffffffff82000000, "ab" }));
	out_init_mem(&out);
	kernel_maps_text(&maps, &out);
	expect(&out, "ab ffffffff81000000 ffffffff82000000 [kernel.kallsyms]\n");
	vec_deinit(&maps.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_rows_with_paths_where_there_are_any),
		cmocka_unit_test(a_cache_lacks_files_that_have_ids),
		cmocka_unit_test(maps_are_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
