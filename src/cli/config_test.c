/* The settings file, as described in perf-config(1). */
#include "cli/config_edit.h"
#include "cli/pager.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static void edit(const char *text, const char *key, const char *value, const char *expected)
{
	struct config_change change = { key, value };
	struct strbuf edited = {};
	struct strobe_error *err = config_edit("f", text, strlen(text), &change, &edited);
	if (err)
		fail_msg("%s", err->message);
	assert_string_equal(strbuf_str(&edited), expected);
	strbuf_deinit(&edited);
}

static void test_edit(void **state)
{
	(void)state;
	edit("", "a.b", "1", "[a]\n\tb = 1\n");
	edit("# end", "a.x.b", "1", "# end\n[a \"x\"]\n\tb = 1\n");
	edit("[A]\n\tB=old ; why\n", "a.b", "new", "[A]\n\tB=new ; why\n");
	edit("[a]\nb = \"x # y\" # c\nb = 2", "a.b", "3", "[a]\nb = \"x # y\" # c\nb = 3"); /* the last one is changed */
	edit("[a]\nb = \"x # y\" # c\n", "a.b", "3", "[a]\nb = 3 # c\n");
	edit("[a]\n b # bare\n", "a.b", "false", "[a]\n b = false # bare\n");
	edit("[a]\n b = 1\n\n# next\n[c]\n", "a.new", "x y", "[a]\n b = 1\n\tnew = x y\n\n# next\n[c]\n");
	edit("[a]\n b = 1 \\\n\n[c]", "a.new", "1", "[a]\n b = 1 \\\n\n\tnew = 1\n[c]");
	edit("[a] # header\n[b] c = 1", "b.d", "2", "[a] # header\n[b] c = 1\n\td = 2\n");
	edit("[a] # header\n", "a.b", " \"q\\\n", "[a] # header\n\tb = \" \\\"q\\\\\\n\"\n");
	struct config_change change = { "a.b", "1" };
	struct strbuf edited = {};
	struct strobe_error *err = config_edit("f", "[a\n", 3, &change, &edited);
	assert_string_equal(err->message, "f:1: a section's name has no closing bracket");
	error_destroy(err);
	assert_int_equal(edited.len, 0);
}

static void refuse_change(const char *text)
{
	char copy[64];
	struct config_change change;
	snprintf(copy, sizeof(copy), "%s", text);
	struct strobe_error *err = config_change_parse(copy, &change);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	error_destroy(err);
}

static void test_change_words(void **state)
{
	(void)state;
	static const char *const refused[] = { "a", "a=b.c", ".a", "a.", "a.b=", "a b.c", "a.b c", "a.x\ny.b=1", "" };
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		refuse_change(refused[i]);
	char set[] = "a.sub name.b=c=d", shown[] = "core.pager";
	struct config_change change;
	assert_null(config_change_parse(set, &change));
	assert_string_equal(change.key, "a.sub name.b");
	assert_string_equal(change.value, "c=d");
	assert_null(config_change_parse(shown, &change));
	assert_null(change.value);
}

static void test_effective(void **state)
{
	(void)state;
	static const char *const expected[] = { "b.x", "3", "b.z", "1", "a.y", "2" };
	struct config *c = config_create();
	parse(c, "[b]\nx=1\n[a]\ny=2\n");
	parse(c, "[b]\nz=1\nX=3\n");
	struct config *e = config_effective(c);
	assert_int_equal(config_count(e), 3);
	for (size_t i = 0; i < 3; i++) {
		const char *key, *value;
		config_at(e, i, &key, &value);
		assert_string_equal(key, expected[2 * i]);
		assert_string_equal(value, expected[2 * i + 1]);
	}
	config_destroy(e);
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

static void assert_directory(const struct config *c, const char *key, const char *expected)
{
	char *path = config_directory(c, key, "~/.debug");
	if (expected)
		assert_string_equal(path, expected);
	else
		assert_null(path);
	free(path);
}

static void test_directory(void **state)
{
	(void)state;
	const char *home = getenv("HOME");
	char *kept = home ? strdup(home) : NULL;
	struct config *c = config_create();
	parse(c, "[a]\nhome=~/x\nabsolute=/y\nuser=~z\n");
	setenv("HOME", "/h", 1);
	assert_directory(c, "a.home", "/h/x");
	assert_directory(c, "a.absolute", "/y");
	assert_directory(c, "a.user", "~z");
	assert_directory(c, "a.none", "/h/.debug");
	setenv("HOME", "", 1);
	assert_directory(c, "a.none", NULL);
	assert_directory(c, "a.absolute", "/y");
	if (kept)
		setenv("HOME", kept, 1);
	free(kept);
	config_destroy(c);
}

static void test_pager(void **state)
{
	(void)state;
	struct config *c = config_create();
	unsetenv("STROBE_PAGER");
	unsetenv("PERF_PAGER");
	parse(c, "[core]\npager=one\n[pager]\nreport=false\nscript=two -x\nlist=true\n");
	assert_string_equal(pager_of_settings(c, NULL, false), "one");
	assert_string_equal(pager_of_settings(c, "stat", false), "one");
	assert_string_equal(pager_of_settings(c, "list", false), "one");
	assert_string_equal(pager_of_settings(c, "script", false), "two -x");
	assert_null(pager_of_settings(c, "report", false));
	assert_string_equal(pager_of_settings(c, "report", true), "one");
	config_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_change_words),
		cmocka_unit_test(test_effective),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_pager),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
