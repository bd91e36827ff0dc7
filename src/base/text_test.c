/* text, cursor, progress */
#include "base/testing.h"

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/progress.h"
#include "base/text.h"

static void numbers_are_whole_or_refused(void **state)
{
	uint64_t u = 7;
	int64_t i = 7;
	double d;
	assert_true(text_to_u64("18446744073709551615", &u) && u == UINT64_MAX);
	assert_true(text_to_u64("0x1F", &u) && u == 31);
	assert_true(text_to_u64("010", &u) && u == 10);
	static const char *const wrong[] = {
		"", " 1", "1 ", "-1", "+1", "18446744073709551616", "0x", "0x10000000000000000", "1a"
	};
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		assert_false(text_to_u64(wrong[k], &u));
	assert_int_equal(u, 10);
	assert_true(text_to_i64("-9223372036854775808", &i) && i == INT64_MIN);
	assert_false(text_to_i64("-9223372036854775809", &i));
	assert_false(text_to_i64("9223372036854775808", &i));
	assert_true(text_to_f64("2.5e3", &d) && d == 2500);
	assert_false(text_to_f64("2,5", &d) || text_to_f64("", &d) || text_to_f64("1e999", &d) ||
		     text_to_f64("nan", &d));
}

static void sizes_and_durations(void **state)
{
	uint64_t v;
	assert_true(text_to_bytes("4096", &v) && v == 4096);
	assert_true(text_to_bytes("100B", &v) && v == 100);
	assert_true(text_to_bytes("16k", &v) && v == 16384);
	assert_true(text_to_bytes("64M", &v) && v == 64 << 20);
	assert_true(text_to_bytes("1G", &v) && v == 1 << 30);
	assert_false(text_to_bytes("1X", &v) || text_to_bytes("1MB2", &v) || text_to_bytes("M", &v));
	assert_false(text_to_bytes("99999999999G", &v));
	assert_true(text_to_duration_ns("100ms", &v) && v == 100000000);
	assert_true(text_to_duration_ns("2m", &v) && v == 120000000000);
	assert_true(text_to_duration_ns("1d", &v) && v == 86400000000000);
	assert_false(text_to_duration_ns("10", &v) || text_to_duration_ns("s", &v) ||
		     text_to_duration_ns("9999999999d", &v));
}

static void hex_digits(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x9a, 0xff };
	uint8_t read[3] = {};
	uint64_t v;
	char hex[6];
	static const char digits[] = "0123456789abcdefABCDEF";
	for (int c = -128; c < 128; c++) {
		const char *at = c ? strchr(digits, c) : NULL;
		int expected = at ? (int)(at - digits) - (at - digits > 15 ? 6 : 0) : -1;
		assert_int_equal(text_hex_digit((char)c), expected);
	}
	assert_int_equal(text_hex("1fG", 3, &v), 2);
	assert_int_equal(v, 0x1f);
	assert_int_equal(text_hex("ffff", 2, &v), 2);
	assert_int_equal(v, 0xff);
	assert_int_equal(text_hex("123456789abcdef01", 17, &v), 16);
	assert_int_equal(v, 0x123456789abcdef0);
	assert_int_equal(text_hex("x", 1, &v) + v, 0);
	assert_true(text_hex_to_bytes("009aFF", 3, read));
	assert_memory_equal(read, bytes, 3);
	assert_false(text_hex_to_bytes("0g", 1, read) || text_hex_to_bytes("g0", 1, read) || text_hex_to_bytes("", 1, read));
	text_bytes_to_hex(bytes, 3, hex);
	assert_memory_equal(hex, "009aff", 6);
}

static bool add_cpu(void *ctx, uint32_t cpu)
{
	*(uint64_t *)ctx |= (uint64_t)1 << cpu;
	return true;
}

static void base_names(void **state)
{
	assert_string_equal(text_base_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(text_base_name("libc.so.6"), "libc.so.6");
	assert_string_equal(text_base_name("/usr/lib/"), "/usr/lib/");
	assert_string_equal(text_base_name(""), "");
}

static void cpu_lists(void **state)
{
	uint64_t set = 0;
	assert_true(text_each_cpu("0-3,7\n", 63, add_cpu, &set));
	assert_int_equal(set, 0x8f);
	assert_true(text_each_cpu("\n", 63, add_cpu, &set));
	static const char *const wrong[] = { "0-", "a", "3-1", "64", "0,,1", "0 1", "," };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(text_each_cpu(wrong[i], 63, add_cpu, &set));
}

static void globs(void **state)
{
	assert_true(text_glob("sys_enter_*", "sys_enter_read"));
	assert_true(text_glob("*", ""));
	assert_true(text_glob("a*b*c", "axxbyybzc"));
	assert_false(text_glob("a*b*c", "axxbyyb"));
	assert_true(text_glob("[a-c]?[!x]", "bqz"));
	assert_false(text_glob("[a-c]?[!x]", "bqx"));
	assert_true(text_glob("[]]", "]"));
	assert_true(text_glob("\\*", "*") && !text_glob("\\*", "a"));
	assert_true(text_glob("[ab", "[ab") && !text_glob("[ab", "a"));
	assert_false(text_glob("", "a"));
	assert_false(text_glob("*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void near_names(void **state)
{
	assert_int_equal(text_distance("cycles", "cycles"), 0);
	assert_int_equal(text_distance("cylces", "cycles"), 1);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	static const char *const names[] = { "cycles", "instructions", "branches", "bus-cycles" };
	assert_string_equal(text_nearest("cylces", names, 4), "cycles");
	assert_string_equal(text_nearest("instruction", names, 4), "instructions");
	assert_null(text_nearest("page-faults", names, 4));
}

static void columns(void **state)
{
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("é"), 1);
	assert_int_equal(text_columns("e\xcc\x81"), 1);
	assert_int_equal(text_columns("漢字"), 4);
	assert_int_equal(text_columns("\xff"), 1);
}

static void cursor_stays_inside(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'h', 'i', 0, 'x' };
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct cursor c = cursor_make(bytes, sizeof(bytes), is_big);
	assert_int_equal(cursor_u16(&c), 0x0201);
	c.swap = !is_big;
	assert_int_equal(cursor_u16(&c), 0x0304);
	assert_int_equal(cursor_u32(&c), 0x05060708);
	assert_string_equal(cursor_cstr(&c), "hi");
	assert_null(cursor_cstr(&c));
	assert_true(c.bad);
	assert_int_equal(cursor_u8(&c), 0);
	c = cursor_make(bytes, sizeof(bytes), false);
	struct cursor sub = cursor_sub(&c, 4);
	assert_int_equal(cursor_u64(&sub), 0);
	assert_true(sub.bad && !c.bad);
	assert_int_equal(cursor_offset(&c), 4);
	sub = cursor_sub(&c, 9);
	assert_true(sub.bad && c.bad);
	c = cursor_make(bytes, sizeof(bytes), false);
	assert_true(cursor_seek(&c, 12) && !cursor_left(&c));
	assert_false(cursor_seek(&c, 13));
}

/* Examples from DWARF 5, section 7.6, and the ends of the range. */
static void leb128(void **state)
{
	static const struct {
		uint64_t value;
		const char *bytes;
		size_t n;
		bool is_signed;
	} rows[] = {
		{ 2, "\x02", 1, false },
		{ 127, "\x7f", 1, false },
		{ 128, "\x80\x01", 2, false },
		{ 12857, "\xb9\x64", 2, false },
		{ UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false },
		{ 1, "\x81\x80\x00", 3, false },
		{ 2, "\x02", 1, true },
		{ (uint64_t)-2, "\x7e", 1, true },
		{ 127, "\xff\x00", 2, true },
		{ (uint64_t)-127, "\x81\x7f", 2, true },
		{ (uint64_t)-129, "\xff\x7e", 2, true },
		{ (uint64_t)INT64_MIN, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, true },
		{ INT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cursor c = cursor_make(rows[i].bytes, rows[i].n, false);
		uint64_t v = rows[i].is_signed ? (uint64_t)cursor_sleb(&c) : cursor_uleb(&c);
		assert_int_equal(v, rows[i].value);
		assert_false(c.bad);
		assert_int_equal(cursor_left(&c), 0);
	}
	struct cursor c = cursor_make("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false);
	assert_int_equal(cursor_uleb(&c), 0);
	assert_true(c.bad && cursor_offset(&c) == 0);
	c = cursor_make("\x80\x80", 2, false);
	cursor_sleb(&c);
	assert_true(c.bad);
}

static bool stop_at_half(void *ctx, const struct progress *p)
{
	++*(int *)ctx;
	return p->done < 500000;
}

static void progress_ticks_and_stops(void **state)
{
	int ticks = 0;
	struct progress p = { .what = "reading", .total = 1000000, .tick = stop_at_half, .ctx = &ticks };
	uint64_t i = 0;
	while (i < 1000000 && progress_add(&p, 1))
		i++;
	assert_in_range(i, 499990, 502000);
	assert_in_range(ticks, 400, 600);
	assert_false(progress_add(&p, 1));
	struct progress quiet = { .total = 10 };
	assert_true(progress_add(&quiet, 5));
}

static void timestamps_are_cut_to_hundredths(void **state)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	/* date -u -d @1600000000 +%Y%m%d%H%M%S */
	_cleanup_free_ char *text = text_timestamp((struct timespec){ .tv_sec = 1600000000, .tv_nsec = 59999999 });
	assert_string_equal(text, "2020091312264005");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_whole_or_refused),
		cmocka_unit_test(sizes_and_durations),
		cmocka_unit_test(hex_digits),
		cmocka_unit_test(timestamps_are_cut_to_hundredths),
		cmocka_unit_test(base_names),
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(globs),
		cmocka_unit_test(near_names),
		cmocka_unit_test(columns),
		cmocka_unit_test(cursor_stays_inside),
		cmocka_unit_test(leb128),
		cmocka_unit_test(progress_ticks_and_stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
