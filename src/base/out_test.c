/* out, json, strbuf, error, log */
#include "base/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/out.h"
#include "base/strbuf.h"

static void assert_holds(struct out *o, const char *expected)
{
	size_t n;
	const char *p = out_mem(o, &n);
	char *s = strndup(p, n);
	assert_string_equal(s, expected);
	free(s);
	assert_ok(out_close(o));
}

static void numbers(void **state)
{
	struct out o;
	out_init_mem(&o);
	out_u64(&o, 0);
	out_ch(&o, ' ');
	out_u64(&o, UINT64_MAX);
	out_ch(&o, ' ');
	out_i64(&o, INT64_MIN);
	out_ch(&o, ' ');
	out_hex(&o, 0xdeadbeef);
	out_ch(&o, ' ');
	out_hex_width(&o, 0x1f, 6, '0');
	out_u64_width(&o, 42, 5, ' ');
	out_right(&o, "ab", 4);
	out_left(&o, "cd", 4);
	out_f(&o, "|%s|", "x");
	assert_holds(&o, "0 18446744073709551615 -9223372036854775808 deadbeef 00001f   42  abcd  |x|");
}

/* printf is the second source: rounding is the same to the last digit, ties too. */
static void doubles_like_printf(void **state)
{
	static const double fixed[] = { 0,
					-0.0,
					0.5,
					1.5,
					2.5,
					0.125,
					0.375,
					0.005,
					1.005,
					99.995,
					999999.9999999,
					1e-300,
					DBL_MIN,
					DBL_TRUE_MIN,
					1e15,
					9007199254740993,
					9.3e18,
					1e300,
					DBL_MAX,
					0x1p63,
					0x1.fffffffffffffp62,
					0.1,
					100,
					0.9999999,
					4.35,
					1e22 };
	srand(3);
	for (int i = 0; i < 200000; i++) {
		double v;
		if (i < (int)(sizeof(fixed) / sizeof(*fixed)))
			v = fixed[i];
		else if (i % 3 == 0)
			v = (double)(rand() % 100000) / 1024;
		else
			v = ldexp((double)rand() * RAND_MAX + rand(), rand() % 200 - 140);
		if (i % 2)
			v = -v;
		char expected[400];
		int decimals = i < 26 ? 2 : i % 20;
		snprintf(expected, sizeof(expected), "%.*f", decimals, v);
		struct out o;
		out_init_mem(&o);
		out_f64(&o, v, decimals);
		assert_holds(&o, expected);
		struct strbuf b = {};
		snprintf(expected, sizeof(expected), "%9.*f", decimals, v);
		strbuf_add_f64(&b, v, decimals, 9);
		assert_string_equal(strbuf_str(&b), expected);
		strbuf_deinit(&b);
	}
	struct out o;
	out_init_mem(&o);
	out_f64(&o, NAN, 1);
	out_f64(&o, -INFINITY, 1);
	assert_holds(&o, "nan-inf");
}

static void text_is_made_harmless(void **state)
{
	struct out o;
	out_init_mem(&o);
	static const char s[] = "a\x1b[2J\tü\xff\xc0\xafz\xc2\x9b\0b";
	out_text(&o, s, sizeof(s) - 1);
	assert_holds(&o, "a\\x1b[2J\\x09ü\\xff\\xc0\\xafz\\xc2\\x9b\\x00b");
	out_init_mem(&o);
	static const char marks[] = "a\xe2\x80\xaez\xd8\x9c\xe2\x80\x8b\xf3\xa0\x81\x81\xe2\x80\x93";
	out_text(&o, marks, sizeof(marks) - 1);
	assert_holds(&o, "a\\u202ez\\xd8\\x9c\\u200b\\ue0041\xe2\x80\x93");
	out_init_mem(&o);
	static const char x[] = "f<T>&'\"é\x01\xef\xbf\xbf\xff";
	out_xml(&o, x, sizeof(x) - 1);
	assert_holds(&o, "f&lt;T&gt;&amp;&#39;&quot;é\\x01?\\xff");
	out_init_mem(&o);
	out_csv(&o, "plain");
	out_ch(&o, ',');
	out_csv(&o, "a,\"b\"");
	out_csv(&o, "\x1b[2J");
	out_csv(&o, ",\n");
	assert_holds(&o, "plain,\"a,\"\"b\"\"\"\\x1b[2J\",\\x0a\"");
}

/* printf is the second source: with and without room for all digits. */
static void widths_like_printf(void **state)
{
	static const uint64_t values[] = { 0, 9, 10, 99, 100, 12345678, 999999999999999999, 1000000000000000000, UINT64_MAX };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		for (int width = 0; width < 25; width++) {
			char expected[64];
			struct out o;
			out_init_mem(&o);
			out_u64_width(&o, values[i], (size_t)width, ' ');
			out_u64_width(&o, values[i], (size_t)width, '0');
			snprintf(expected, sizeof(expected), "%*" PRIu64 "%0*" PRIu64, width, values[i], width, values[i]);
			assert_holds(&o, expected);
		}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		for (int width = 0; width < 25; width++) {
			char expected[64], number[32];
			struct out o;
			out_init_mem(&o);
			out_fixed(&o, values[i], 3, (size_t)width);
			out_fixed(&o, values[i], 6, (size_t)width);
			snprintf(number, sizeof(number), "%" PRIu64 ".%03" PRIu64, values[i] / 1000, values[i] % 1000);
			int n = snprintf(expected, sizeof(expected), "%*s", width, number);
			snprintf(number, sizeof(number), "%" PRIu64 ".%06" PRIu64, values[i] / 1000000, values[i] % 1000000);
			snprintf(expected + n, sizeof(expected) - (size_t)n, "%*s", width, number);
			assert_holds(&o, expected);
		}
}

static void writes_reach_the_file_whole(void **state)
{
	char path[] = "/tmp/strobe-out-XXXXXX";
	int fd = mkstemp(path);
	unlink(path);
	struct out o;
	out_init_fd(&o, fd);
	for (int i = 0; i < 100000; i++)
		out_u64_width(&o, (uint64_t)i, 8, '0');
	char *big = calloc(1, 300000);
	out_write(&o, big, 300000);
	out_fill(&o, 'x', 100001);
	assert_ok(out_close(&o));
	assert_int_equal(lseek(fd, 0, SEEK_END), 800000 + 300000 + 100001);
	char at[8];
	assert_int_equal(pread(fd, at, 8, 8 * 99999), 8);
	assert_memory_equal(at, "00099999", 8);
	free(big);
	close(fd);
}

static void a_failed_write_is_kept(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	assert_true(fd >= 0);
	struct out o;
	out_init_fd(&o, fd);
	out_fill(&o, 'x', 200000);
	assert_true(out_failed(&o));
	out_fill(&o, 'x', 200000);
	struct strobe_error *err = out_close(&o);
	assert_non_null(err);
	assert_int_equal(err->errnum, ENOSPC);
	error_destroy(err);
	close(fd);
}

static void json_is_json(void **state)
{
	struct out o;
	struct json j;
	out_init_mem(&o);
	json_init(&j, &o, false);
	json_object(&j);
	json_key(&j, "s");
	json_str(&j, "q\"\\\n\xff"
		     "é");
	json_key(&j, "a");
	json_array(&j);
	json_u64(&j, UINT64_MAX);
	json_i64(&j, -5);
	json_f64(&j, 0.1);
	json_f64(&j, NAN);
	json_f64(&j, 3);
	json_bool(&j, true);
	json_null(&j);
	json_hex(&j, 31);
	json_object(&j);
	json_end(&j);
	json_end(&j);
	json_end(&j);
	assert_holds(&o, "{\"s\":\"q\\\"\\\\\\u000a\xef\xbf\xbdé\",\"a\":[18446744073709551615,-5,0.1,null,3,true,null,"
			 "\"0x1f\",{}]}");
	out_init_mem(&o);
	json_init(&j, &o, true);
	json_object(&j);
	json_key(&j, "a");
	json_array(&j);
	json_u64(&j, 1);
	json_u64(&j, 2);
	json_end(&j);
	json_end(&j);
	assert_holds(&o, "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
}

static void json_deeper_than_its_limit_stays_json(void **state)
{
	struct out o;
	struct json j;
	out_init_mem(&o);
	json_init(&j, &o, false);
	for (int i = 0; i < JSON_DEPTH + 20; i++)
		json_array(&j);
	json_u64(&j, 1);
	for (int i = 0; i < JSON_DEPTH + 20; i++)
		json_end(&j);
	char expected[2 * JSON_DEPTH + 5] = "";
	memset(expected, '[', JSON_DEPTH);
	memcpy(expected + JSON_DEPTH, "null", 4);
	memset(expected + JSON_DEPTH + 4, ']', JSON_DEPTH);
	assert_holds(&o, expected);
}

static void strbuf_grows(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {};
	assert_string_equal(strbuf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&b, "%d,", i);
	strbuf_addch(&b, '!');
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4 + 1);
	assert_string_equal(strbuf_str(&b) + b.len - 5, "999,!");
	strbuf_addf(&b, "%0500d", 1);
	assert_int_equal(b.len, 3891 + 500);
	char *s = strbuf_take(&b);
	assert_null(b.data);
	free(s);
}

static void errors_carry_a_sentence(void **state)
{
	struct strobe_error *err = error_errno(EACCES, "cannot open %s", "/x");
	assert_int_equal(err->code, ERROR_PERMISSION);
	assert_string_equal(err->message, "cannot open /x: Permission denied");
	err = error_prefix(err, "reading %d", 3);
	assert_string_equal(err->message, "reading 3: cannot open /x: Permission denied");
	assert_true(error_is(err, ERROR_PERMISSION));
	error_destroy(err);
	assert_null(error_prefix(NULL, "x"));
	assert_null(error_first(NULL, NULL));
	struct strobe_error *cause = error_create(ERROR_IO, "cause");
	assert_ptr_equal(error_first(NULL, cause), cause);
	assert_ptr_equal(error_first(cause, error_create(ERROR_IO, "later")), cause);
	error_destroy(cause);
	error_destroy(NULL);
}

static void keep_line(void *ctx, enum log_level level, const char *line)
{
	strbuf_addstr(ctx, line);
}

static void log_goes_to_the_sink(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {};
	log_warn("nobody hears %d", 1);
	log_set_sink((struct log_sink){ keep_line, &b, LOG_INFO });
	log_info("a%d", 1);
	log_debug("b");
	log_set_sink((struct log_sink){ 0 });
	assert_string_equal(strbuf_str(&b), "a1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(doubles_like_printf),
		cmocka_unit_test(widths_like_printf),
		cmocka_unit_test(text_is_made_harmless),
		cmocka_unit_test(writes_reach_the_file_whole),
		cmocka_unit_test(a_failed_write_is_kept),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(json_deeper_than_its_limit_stays_json),
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(errors_carry_a_sentence),
		cmocka_unit_test(log_goes_to_the_sink),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
