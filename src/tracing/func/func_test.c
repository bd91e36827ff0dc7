/* Filters of calls, percentiles, values by their types: expectations by hand. */
#include "base/cleanup.h"
#include "base/testing.h"
#include "tracing/func/filter.h"
#include "tracing/func/signature.h"
#include "tracing/func/stats.h"
#include "tracing/func/value.h"

static bool matches(const char *text, const struct func_call *call)
{
	struct func_filter *f;
	assert_ok(func_filter_parse(text, &f));
	bool r = func_filter_matches(f, call);
	func_filter_destroy(f);
	return r;
}

static void test_filter(void **state)
{
	static const struct func func = { .name = "f" };
	const struct func_call call = { .func = &func, .arg = { 5, (uint64_t)-1, 0x12 }, .has_args = true, .has_ret = true, .ret = 7 };
	assert_true(matches("arg1 == 5", &call));
	assert_true(matches("arg1 > 4 && arg1 < 6", &call));
	assert_true(matches("arg1 == 4 || ret == 0x7", &call));
	assert_false(matches("!(arg1 == 5)", &call));
	assert_true(matches("arg3 & 0x10", &call));
	assert_false(matches("arg3 & 0x20", &call));
	assert_true(matches("arg2 == -1", &call));
	assert_true(matches("arg2 > 1", &call)); /* a register without a type has no sign */
	assert_false(matches("nosuch == 5", &call));
	assert_true(matches("arg1==5&&(ret==8||ret==7)", &call));
	assert_true(matches("arg1 == '\x05' || arg1 != 'a'", &call));
}

static void test_wrong_filters(void **state)
{
	static const char *const wrong[] = { "", "n", "n =", "n > ", "n > 3 &", "(n > 3", "n ~ 3",
					     "n < \"x\"", "n == \"x", "5 == n", "n > 3x", "n > 3 m > 4" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct func_filter *f;
		_cleanup_error_ struct strobe_error *err = func_filter_parse(wrong[i], &f);
		assert_true(error_is(err, ERROR_USAGE));
	}
}

static void test_needs_result(void **state)
{
	struct func_filter *f;
	assert_ok(func_filter_parse("n > 3 || ret < 0", &f));
	assert_true(func_filter_needs_result(f));
	func_filter_destroy(f);
	assert_ok(func_filter_parse("n > 3", &f));
	assert_false(func_filter_needs_result(f));
	func_filter_destroy(f);
}

static void test_percentiles(void **state)
{
	struct trace_func_row r = {};
	assert_int_equal(func_percentile_ns(&r, 0.5), 0);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		func_row_add(&r, ns);
	assert_int_equal(r.returns, 1000);
	assert_int_equal(r.total_ns, 500500);
	assert_int_equal(r.max_ns, 1000);
	static const double shares[] = { 0.5, 0.9, 0.99 };
	for (size_t i = 0; i < 3; i++) {
		double exact = shares[i] * 1000, got = (double)func_percentile_ns(&r, shares[i]);
		assert_true(got > exact * 7 / 8 && got < exact * 9 / 8);
	}
	assert_true(func_percentile_ns(&r, 1.0) <= 1000);
	func_row_add(&r, 1ull << 50); /* beyond the last slot */
	assert_int_equal(r.max_ns, 1ull << 50);
}

static void test_languages(void **state)
{
	assert_int_equal(func_language_of("main"), FUNC_OF_C);
	assert_int_equal(func_language_of("_ZN2ns1A6methodEv"), FUNC_OF_CXX);
	assert_int_equal(func_language_of("_ZN4core3fmt17h0123456789abcdefE"), FUNC_OF_RUST);
	assert_int_equal(func_language_of("_RNvC6_123foo3bar"), FUNC_OF_RUST);
}

/* --- values --- */

static const struct type t_int = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4, .name = "int" };
static const struct type t_char = { .kind = TYPE_CHARACTER, .is_signed = true, .bytes = 1, .name = "char" };
static const struct type t_pointer = { .kind = TYPE_POINTER, .bytes = 8 };
static const struct type t_double = { .kind = TYPE_FLOAT, .bytes = 8, .name = "double" };
static const struct type_member members[] = {
	{ .name = "x", .type = &t_int },
	{ .name = "bits", .type = &t_int, .bit_offset = 35, .bits = 3 },
	{ .name = "p", .type = &t_pointer, .bit_offset = 64 },
};
static const struct type t_struct = { .kind = TYPE_STRUCT, .bytes = 16, .name = "s", .members = members, .members_nr = 3,
				      .has_members = true };
static const struct type_enumerator enumerators[] = { { "RED", 0 }, { "GREEN", 5 } };
static const struct type t_enum = { .kind = TYPE_ENUM, .bytes = 4, .enumerators = enumerators, .enumerators_nr = 2,
				    .has_enumerators = true };

static void check(const struct type *t, const void *bytes, size_t n, const char *text)
{
	struct out out;
	size_t length;
	out_init_mem(&out);
	func_value_print(&out, t, bytes, n);
	const char *got = out_mem(&out, &length);
	assert_int_equal(length, strlen(text));
	assert_memory_equal(got, text, length);
	assert_ok(out_close(&out));
}

static void test_values(void **state)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip(); /* functions are traced on little-endian machines, and values are read as those have them */
	int32_t minus = -3, green = 5, other = 6;
	uint64_t address = 0x7f00, null = 0;
	double half = 0.5;
	struct { int32_t x; uint32_t bits; uint64_t p; } s = { -1, 5u << 3 | 1, 0x10 };
	check(&t_int, &minus, 4, "-3");
	check(&t_int, &minus, 3, "?"); /* not all of it */
	check(&t_enum, &green, 4, "GREEN");
	check(&t_enum, &other, 4, "6");
	check(&t_pointer, &address, 8, "0x7f00");
	check(&t_pointer, &null, 8, "NULL");
	check(&t_char, "a", 1, "'a'");
	check(&t_char, "\n", 1, "10");
	check(&t_double, &half, 8, "0.5");
	check(&t_struct, &s, 16, "{x: -1, bits: -3, p: 0x10}"); /* 5 in three bits with a sign */
	check(&t_struct, &s, 8, "{x: -1, bits: -3, p: ?}");
	check(NULL, &s, 8, "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter),	      cmocka_unit_test(test_wrong_filters), cmocka_unit_test(test_needs_result),
		cmocka_unit_test(test_percentiles), cmocka_unit_test(test_languages),     cmocka_unit_test(test_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
