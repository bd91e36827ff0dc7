/* JSON by the rules of RFC 8259. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exchange/json_read.h"

static struct strobe_error *parse(const char *text, struct json_doc *d)
{
	return json_parse((const uint8_t *)text, strlen(text), d);
}

static void test_values(void **state)
{
	struct json_doc d;
	assert_null(parse(" {\"a\" : [1, -2.5e1, true, null, \"x\\n\\u00e9\\ud83d\\ude00\"], \"b\":{}, \"c\":[]}\n", &d));
	uint32_t v = json_first(&d, json_member(&d, 0, "a"));
	assert_int_equal(json_length(&d, json_member(&d, 0, "a")), 5);
	assert_true(json_number(&d, v, 0) == 1 && json_index(&d, v) == 1);
	v = json_next(&d, v);
	assert_true(json_number(&d, v, 0) == -25 && json_index(&d, v) == JSON_NONE);
	v = json_next(&d, v);
	assert_true(json_is(&d, v, JSON_KIND_TRUE));
	v = json_next(&d, v);
	assert_true(json_is(&d, v, JSON_KIND_NULL));
	v = json_next(&d, v);
	assert_string_equal(json_text(&d, v), "x\n\xc3\xa9\xf0\x9f\x98\x80");
	assert_int_equal(json_next(&d, v), JSON_NONE);
	assert_int_equal(json_length(&d, json_member(&d, 0, "b")), 0);
	assert_int_equal(json_first(&d, json_member(&d, 0, "c")), JSON_NONE);
	assert_int_equal(json_member(&d, 0, "d"), JSON_NONE);
	assert_string_equal(json_text(&d, JSON_NONE), "");
	json_doc_deinit(&d);
}

static void test_refuses(void **state)
{
	static const char *const texts[] = {
		"", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "[1 2]", "\"x", "\"\\x\"", "\"\\u12g4\"", "01x", "tru", "1 2", "-",
		"1e999", "[\"a\nb\"]", "{\"a\":1,}", "]", "+1",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json_doc d;
		struct strobe_error *err = parse(texts[i], &d);
		if (!err)
			fail_msg("'%s' was read", texts[i]);
		error_destroy(err);
		json_doc_deinit(&d);
	}
}

static void test_lone_surrogates(void **state)
{
	struct json_doc d;
	assert_null(parse("\"\\ud800x\\udc00\\u0000\\ud800\\u0041\"", &d));
	assert_string_equal(json_text(&d, 0), "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "A");
	json_doc_deinit(&d);
}

static void test_depth(void **state)
{
	char text[2000];
	struct json_doc d;
	memset(text, '[', sizeof(text));
	struct strobe_error *err = json_parse((const uint8_t *)text, sizeof(text), &d);
	assert_true(error_is(err, ERROR_LIMIT));
	error_destroy(err);
	json_doc_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values), cmocka_unit_test(test_refuses),
					    cmocka_unit_test(test_lone_surrogates), cmocka_unit_test(test_depth) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
