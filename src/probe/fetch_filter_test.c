/* Filters written down here, evaluated by the tests that they become, against what the expressions say. */
#include "base/testing.h"

#include "probe/fetch_filter.h"

/* ---- fields: n (s32), u (u64), s (a text) ---- */

struct fields {
	int32_t n;
	uint64_t u;
	const char *s;
};

struct state {
	struct arena arena;
	struct fetch_plan plan;
	struct fetch_format format;
};

static struct state begin(void)
{
	struct state s = {};
	const struct fetch_place place = { .arch = &arch_x86_64, .is_entry = true };
	arena_init(&s.arena);
	fetch_plan_begin(&s.plan, &place);
	assert_ok(fetch_plan_add(&s.plan, &s.format, "n=%di:s32", &place, &s.arena));
	assert_ok(fetch_plan_add(&s.plan, &s.format, "u=%si:u64", &place, &s.arena));
	assert_ok(fetch_plan_add(&s.plan, &s.format, "s=+0(%dx):string", &place, &s.arena));
	assert_ok(fetch_plan_add(&s.plan, &s.format, "arr=+0(%dx):u8[2]", &place, &s.arena));
	return s;
}

static bool is_true(const struct fetch_plan_test *t, const struct fields *f)
{
	if (t->op >= FETCH_PLAN_TEXT_IS) {
		bool begins = !strncmp(f->s, t->text, t->text_bytes);
		return t->op == FETCH_PLAN_TEXT_BEGINS ? begins : begins && strlen(f->s) == t->text_bytes;
	}
	uint64_t v = t->bytes == 8 ? f->u : (uint64_t)(int64_t)f->n;
	bool less = t->is_signed ? (int64_t)v < (int64_t)t->value : v < t->value;
	switch (t->op) {
	case FETCH_PLAN_EQ: return v == t->value;
	case FETCH_PLAN_NE: return v != t->value;
	case FETCH_PLAN_LT: return less;
	case FETCH_PLAN_LE: return less || v == t->value;
	case FETCH_PLAN_GT: return !less && v != t->value;
	case FETCH_PLAN_GE: return !less;
	default: return v & t->value;
	}
}

static bool passes(const char *text, struct fields f)
{
	struct state s = begin();
	struct fetch_plan_filter filter;
	assert_ok(fetch_filter_parse(text, &s.plan, &s.format, &filter));
	unsigned at = 0, steps = 0;
	while (at < FETCH_PLAN_PASSES) {
		assert_true(at < filter.tests_nr);
		assert_true(++steps <= filter.tests_nr);
		const struct fetch_plan_test *t = &filter.test[at];
		at = is_true(t, &f) ? t->when_true : t->when_false;
	}
	arena_deinit(&s.arena);
	return at == FETCH_PLAN_PASSES;
}

static void comparisons_are_those_of_the_type(void **state)
{
	assert_true(passes("n > 100", (struct fields){ .n = 101 }));
	assert_false(passes("n > 100", (struct fields){ .n = -1 }));
	assert_true(passes("u > 100", (struct fields){ .u = UINT64_MAX }));
	assert_true(passes("n == -5", (struct fields){ .n = -5 }));
	assert_true(passes("n<=0x10", (struct fields){ .n = 16 }));
	assert_true(passes("u & 0x6", (struct fields){ .u = 4 }));
	assert_false(passes("u & 0x6", (struct fields){ .u = 1 }));
	assert_true(passes("u == 'a'", (struct fields){ .u = 97 }));
}

static void expressions_join(void **state)
{
	for (int32_t n = 0; n < 4; n++)
		for (uint64_t u = 0; u < 4; u++) {
			const struct fields f = { n, u, "x" };
			assert_int_equal(passes("n == 1 && u == 2 || n == 3", f), (n == 1 && u == 2) || n == 3);
			assert_int_equal(passes("n == 1 && (u == 2 || n == 3)", f), n == 1 && (u == 2 || n == 3));
			assert_int_equal(passes("!(n == 1 || u == 2) && !(n == 0)", f), !(n == 1 || u == 2) && n != 0);
			assert_int_equal(passes("!(!(n < 2) && u > 1) || u == 3 && n != 2", f), !(!(n < 2) && u > 1) || (u == 3 && n != 2));
		}
}

static void texts_are_compared(void **state)
{
	assert_true(passes("s == \"lib\"", (struct fields){ .s = "lib" }));
	assert_false(passes("s == \"lib\"", (struct fields){ .s = "libc" }));
	assert_true(passes("s != \"lib\"", (struct fields){ .s = "libc" }));
	assert_true(passes("s ~ \"lib*\"", (struct fields){ .s = "libc" }));
	assert_true(passes("s ~ \"libc\"", (struct fields){ .s = "libc" }));
	assert_false(passes("s ~ \"lib*\"", (struct fields){ .s = "li" }));
	assert_true(passes("s == \"\"", (struct fields){ .s = "" }));
}

#define FOUR "n==1&&n==1&&n==1&&n==1"

static void wrong_filters_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "expected the name" },
		{ "x > 1", "its fields are: n, u, s, arr, common_pid" },
		{ "n", "expected an operator" },
		{ "n >", "expected a number" },
		{ "n > 1x", "expected a number" },
		{ "n > 1 n", "expected &&" },
		{ "(n > 1", "expected ')'" },
		{ "n ~ \"a\"", "numbers are compared" },
		{ "s > \"a\"", "strings are compared" },
		{ "s == a", "in double quotes" },
		{ "s == \"a", "in double quotes" },
		{ "s ~ \"*a*\"", "\"TEXT*\"" },
		{ "s == \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", "too long" },
		{ "arr == 1", "arrays" },
		{ FOUR "&&" FOUR "&&" FOUR "&&" FOUR "&&n==1", "16 comparisons" },
		{ "((((((((((((((((((((((((((((((((((((((((n==1", "too deep" },
	};
	struct state s = begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fetch_plan_filter filter;
		struct strobe_error *err = fetch_filter_parse(cases[i].text, &s.plan, &s.format, &filter);
		assert_non_null(err);
		if (!strstr(err->message, cases[i].why))
			fail_msg("'%s' is refused for another reason: %s", cases[i].text, err->message);
		error_destroy(err);
	}
	arena_deinit(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_are_those_of_the_type),
		cmocka_unit_test(expressions_join),
		cmocka_unit_test(texts_are_compared),
		cmocka_unit_test(wrong_filters_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
