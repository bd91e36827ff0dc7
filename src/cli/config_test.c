/* The settings file: what perf-config(1) describes. */
#include "cli/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void parse(struct config *c, const char *text)
{
	struct strobe_error *err = config_parse(c, "test", text, strlen(text));
	if (err)
		fail_msg("%s", err->message);
}

static void wrong(const char *text, const char *message)
{
	struct config *c = config_create();
	struct strobe_error *err = config_parse(c, "f", text, strlen(text));
	assert_non_null(err);
	assert_string_equal(err->message, message);
	error_destroy(err);
	config_destroy(c);
}

static void test_values(void **state)
{
	(void)state;
	struct config *c = config_create();
	parse(c, "# comment\n"
		 "[Report]\n"
		 "\tPercent-Limit = 0.5  ; half a percent\n"
		 "  children\n"
		 "[colors \"Sub Name\"] top = \"red, \\\"default\\\" # kept \"  \n"
		 "[a.b]\nempty =\nlong = one \\\n two\n[report]\nchildren = off");
	assert_string_equal(config_get(c, "report.percent-limit"), "0.5");
	assert_string_equal(config_get(c, "REPORT.children"), "off");
	assert_string_equal(config_get(c, "colors.Sub Name.top"), "red, \"default\" # kept ");
	assert_string_equal(config_get(c, "a.b.empty"), "");
	assert_string_equal(config_get(c, "a.b.long"), "one  two");
	assert_null(config_get(c, "a.b.none"));
	assert_int_equal(config_count(c), 6);
	const char *key, *value;
	config_at(c, 1, &key, &value);
	assert_string_equal(key, "report.children");
	assert_string_equal(value, "true");
	config_destroy(c);
}

static void test_bool(void **state)
{
	(void)state;
	struct config *c = config_create();
	bool b;
	parse(c, "[x]\na=Yes\nb=0\nc=perhaps\n");
	assert_null(config_bool(c, "x.a", false, &b));
	assert_true(b);
	assert_null(config_bool(c, "x.b", true, &b));
	assert_false(b);
	assert_null(config_bool(c, "x.none", true, &b));
	assert_true(b);
	struct strobe_error *err = config_bool(c, "x.c", true, &b);
	assert_string_equal(err->message, "the setting x.c is \"perhaps\"; it must be true or false");
	error_destroy(err);
	config_destroy(c);
}

static void test_wrong(void **state)
{
	(void)state;
	wrong("a = 1\n", "f:1: a key precedes the first [section]");
	wrong("\n[x\n", "f:2: a section's name has no closing bracket");
	wrong("[x]\n\na = \"b\n", "f:3: a value has no closing quote");
	wrong("[x]\n= b\n", "f:2: neither a [section] nor a key = value");
	wrong("[x]\na b\n", "f:2: a key must be followed by = value");
	wrong("[x \"a", "f:1: a section's name has no closing quote");
	wrong("[x]\na=\\q", "f:2: unknown escape in a value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
