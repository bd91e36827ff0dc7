/* The forms of stat's output: what is shown, and what is not. */
#include "base/testing.h"

#include <string.h>

#include "view/counts/counts_writer.h"

static void expect(struct out *out, const char *begin, const char *part)
{
	size_t bytes;
	const char *text = out_mem(out, &bytes);
	assert_true(bytes >= strlen(begin));
	assert_memory_equal(text, begin, strlen(begin));
	assert_non_null(memmem(text, bytes, part, strlen(part)));
	error_destroy(out_close(out));
}

static void show_table(const struct counts_form *form, const char *begin, const char *part)
{
	struct counts_writer w;
	struct out out;
	struct table t;
	out_init_mem(&out);
	table_init(&t, "strobe-test", 1);
	table_column(&t, (struct table_column){ .key = "event", .title = "Event", .type = TABLE_TEXT });
	table_column(&t, (struct table_column){ .key = "count", .title = "Count", .type = TABLE_COUNT });
	table_row(&t);
	table_set_text(&t, 0, "cycles");
	table_set_count(&t, 1, 12);
	counts_writer_begin(&w, form, &out, false);
	counts_writer_table(&w, &t);
	counts_writer_end(&w);
	expect(&out, begin, part);
	table_deinit(&t);
}

static void tables_in_each_form(void **state)
{
	(void)state;
	show_table(&(struct counts_form){}, "\n Performance counter stats compared\n\n", "cycles");
	show_table(&(struct counts_form){ .separator = ";" }, "event;count\n", "cycles;12\n");
	show_table(&(struct counts_form){ .json_document = true }, "{", "\"strobe-test\"");
	show_table(&(struct counts_form){ .json = true, .separator = ";" }, "{", "\"strobe-test\"");
}

static void show_counts(const struct counts_form *form, const char *begin, const char *part)
{
	struct counts_writer w;
	struct counts c = { .target = "'true'" };
	struct out out;
	out_init_mem(&out);
	counts_writer_begin(&w, form, &out, false);
	counts_writer_show(&w, &c);
	counts_writer_end(&w);
	expect(&out, begin, part);
}

static void counts_as_text_and_as_a_document(void **state)
{
	(void)state;
	assert_true(counts_form_is_text(&(struct counts_form){ .table = true }));
	assert_false(counts_form_is_text(&(struct counts_form){ .separator = "," }));
	show_counts(&(struct counts_form){}, "\n Performance counter stats for", "'true'");
	show_counts(&(struct counts_form){ .json_document = true }, "{", "\"strobe-stat\"");
	show_counts(&(struct counts_form){ .quiet = true, .json_document = true }, "", "");
}

static void check_form(struct counts_form form, uint64_t runs, const char *part)
{
	struct strobe_error *err = counts_form_check(&form, runs);
	assert_true(part ? error_is(err, ERROR_USAGE) && strstr(err->message, part) : !err);
	error_destroy(err);
}

static void forms_that_exclude_each_other(void **state)
{
	check_form((struct counts_form){ .separator = "," }, 1, NULL);
	check_form((struct counts_form){ .separator = ",", .json = true }, 1, "-x and -j");
	check_form((struct counts_form){ .table = true }, 1, "--table requires -r");
	check_form((struct counts_form){ .table = true }, 2, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_in_each_form),
		cmocka_unit_test(counts_as_text_and_as_a_document),
		cmocka_unit_test(forms_that_exclude_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
