/* Lines against CPython's own answers, texts against UTF-8 written by hand, tables against what was put into them. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "interp/python.h"
#include "interp/script_table.h"

/*
 * The tables that 3.8, 3.10, 3.11 and 3.13 made of
 *
 *	def f(a):
 *	    b = (a +
 *	         1)
 *	    for i in range(b):
 *	        b += i
 *	    return b
 *
 * and what dis.findlinestarts() says of each.
 */
static void lines_as_findlinestarts_has_them(void **state)
{
	static const struct {
		enum python_lines form;
		const char *bytes;
		size_t n;
		struct { uint32_t offset, line; } starts[8];
	} cases[] = {
		{ PYTHON_LINES_LNOTAB, /* 3.8 */
		  "\x00\x01\x02\x01\x02\xff\x04\x02\x0c\x01\x0a\x01",
		  12, { { 0, 2 }, { 2, 3 }, { 4, 2 }, { 8, 4 }, { 20, 5 }, { 30, 6 } } },
		{ PYTHON_LINES_LINETABLE, /* 3.10 */
		  "\x02\x01\x02\x01\x04\xff\x0c\x02\x0a\x01\x04\x01",
		  12, { { 0, 2 }, { 2, 3 }, { 4, 2 }, { 8, 4 }, { 20, 5 }, { 30, 6 } } },
		{ PYTHON_LINES_LOCATIONS, /* 3.11 */
		  "\x80\x00\xd8\x09\x0a\xd8\x09\x0a\xf1\x03\x01\x0a\x0b\x80\x41\xe5\x0d\x12\x90\x31\x89\x58\x8c\x58"
		  "\xf0\x00\x01\x05\x0f\xf0\x00\x01\x05\x0f\x88\x01\xd8\x08\x09\x88\x51\x89\x06\x88\x01\x88\x01\xd8"
		  "\x0b\x0c\x80\x48",
		  52, { { 0, 1 }, { 2, 2 }, { 4, 3 }, { 6, 2 }, { 12, 4 }, { 46, 5 }, { 58, 6 } } },
		{ PYTHON_LINES_LOCATIONS, /* 3.13 */
		  "\x80\x00\xd8\x09\x0a\xd8\x09\x0a\xf1\x03\x01\x0a\x0b\x80\x41\xe4\x0d\x12\x90\x31\x8e\x58\x88\x01"
		  "\xd8\x08\x09\x89\x06\x8a\x01\xf1\x03\x00\x0e\x16\xe0\x0b\x0c\x80\x48",
		  41, { { 0, 1 }, { 2, 2 }, { 4, 3 }, { 6, 2 }, { 12, 4 }, { 40, 5 }, { 52, 4 } } },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t j = 0; j < 8 && cases[i].starts[j].line; j++)
			assert_int_equal(python_line(cases[i].form, cases[i].bytes, cases[i].n, 1, cases[i].starts[j].offset),
					 cases[i].starts[j].line);
}

static void put_head(uint8_t *p, uint64_t length, uint32_t state)
{
	memset(p, 0, 72);
	memcpy(p + 16, &length, 8);
	memcpy(p + 32, &state, 4);
}

enum { COMPACT = 1 << 5, ASCII = 1 << 6 };

static void texts_of_each_width(void **state)
{
	const struct python_layout l = { .minor = 11, .text = 48, .text_compact = 72 };
	uint8_t p[128];
	char to[64];
	(void)state;
	put_head(p, 3, 1 << 2 | COMPACT | ASCII);
	memcpy(p + 48, "fib", 3);
	assert_true(python_text(&l, p, 51, to, sizeof(to)));
	assert_string_equal(to, "fib");
	put_head(p, 2, 1 << 2 | COMPACT);
	memcpy(p + 72, "x\xe9", 2);
	assert_true(python_text(&l, p, 74, to, sizeof(to)));
	assert_string_equal(to, "x\xc3\xa9");
	put_head(p, 2, 2 << 2 | COMPACT);
	memcpy(p + 72, (const uint16_t[]){ 0x20ac, 0xd800 }, 4);
	assert_true(python_text(&l, p, 76, to, sizeof(to)));
	assert_string_equal(to, "\xe2\x82\xac\xef\xbf\xbd");
	put_head(p, 1, 4 << 2 | COMPACT);
	memcpy(p + 72, (const uint32_t[]){ 0x1f40d }, 4);
	assert_true(python_text(&l, p, 76, to, sizeof(to)));
	assert_string_equal(to, "\xf0\x9f\x90\x8d");
}

static void damaged_texts_have_none(void **state)
{
	const struct python_layout l = { .minor = 11, .text = 48, .text_compact = 72 };
	uint8_t p[128];
	char to[8];
	(void)state;
	put_head(p, UINT64_MAX, 1 << 2 | COMPACT | ASCII);
	memcpy(p + 48, "long and more", 13);
	assert_true(python_text(&l, p, 61, to, sizeof(to))); /* cut */
	assert_true(strlen(to) < sizeof(to));
	assert_false(python_text(&l, p, 39, to, sizeof(to)));
	put_head(p, 3, 3 << 2 | COMPACT);
	assert_false(python_text(&l, p, 128, to, sizeof(to)));
	put_head(p, 3, 1 << 2 | ASCII);
	assert_false(python_text(&l, p, 128, to, sizeof(to)));
}

static void a_table_is_read_as_it_was_written(void **state)
{
	struct strbuf b = {};
	struct script_table t;
	struct script_code first = { .number = 7, .first_line = 3, .lines_form = PYTHON_LINES_LNOTAB, .name = "f", .name_bytes = 1,
				     .file = "/x.py", .file_bytes = 5, .lines = "\2\1", .lines_bytes = 2 };
	struct script_code second = first;
	(void)state;
	second.number = 2;
	second.name_bytes = 0;
	script_table_put_head(&b, 2);
	script_table_put(&b, &first);
	script_table_put(&b, &second);
	script_table_read(b.data, b.len, false, &t);
	assert_int_equal(t.list.len, 2);
	const struct script_code *found = script_table_find(&t, 7);
	assert_non_null(found);
	assert_memory_equal(found->file, "/x.py", 5);
	assert_int_equal(script_line(found, 0), 3);
	assert_int_equal(script_line(found, 2), 4);
	assert_null(script_table_find(&t, 3));
	script_table_deinit(&t);
	for (size_t n = 0; n < b.len; n++) { /* cut anywhere: what is whole is there */
		script_table_read(b.data, n, false, &t);
		assert_true(t.list.len <= 1);
		script_table_deinit(&t);
	}
	strbuf_deinit(&b);
}

static void names_of_interpreters(void **state)
{
	(void)state;
	assert_true(python_is_name("python3.11") && python_is_name("libpython3.8.so.1.0"));
	assert_false(python_is_name("python2.7") || python_is_name("ipython3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_as_findlinestarts_has_them),
		cmocka_unit_test(texts_of_each_width),
		cmocka_unit_test(damaged_texts_have_none),
		cmocka_unit_test(a_table_is_read_as_it_was_written),
		cmocka_unit_test(names_of_interpreters),
	};
	return cmocka_run_group_tests_name("interp", tests, NULL, NULL);
}
