/* The names of output formats are those of the manual pages. */
#include "table/format.h"

#include "base/testing.h"

static void check(const char *name, enum table_format expected)
{
	enum table_format format = TABLE_AS_CSV;
	assert_null(table_format_parse(name, &format));
	assert_int_equal(format, expected);
}

static void formats_have_names(void **state)
{
	check(NULL, TABLE_AS_TEXT);
	check("text", TABLE_AS_TEXT);
	check("json", TABLE_AS_JSON);
	check("csv", TABLE_AS_CSV);
}

static void other_names_are_refused(void **state)
{
	static const char *const names[] = { "", "jso", "json ", "JSON", "xml" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		enum table_format format;
		struct strobe_error *err = table_format_parse(names[i], &format);
		assert_true(error_is(err, ERROR_USAGE));
		error_destroy(err);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(formats_have_names), cmocka_unit_test(other_names_are_refused) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
