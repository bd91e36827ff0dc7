#include "base/testing.h"
#include "probe/names.h"

static void assert_group(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf name = {};
	probe_group_name(path, &name);
	assert_string_equal(strbuf_str(&name), expected);
}

/* As perf 6.1 calls the groups of these files. */
static void groups(void **state)
{
	assert_group(NULL, "probe");
	assert_group("/usr/lib/x86_64-linux-gnu/libc.so.6", "probe_libc");
	assert_group("/tmp/ld-x_y.so", "probe_ld");
	assert_group("/tmp/_z-1", "probe__z");
	assert_group("/tmp/9a", "probe_9a");
}

static void assert_event(const char *definition, const char *function, const char *expected)
{
	_cleanup_strbuf_ struct strbuf name = {};
	struct probe_definition d;
	struct arena arena;
	arena_init(&arena);
	assert_null(probe_definition_parse(definition, &arena, &d));
	probe_event_name(&d, function, &name);
	assert_string_equal(strbuf_str(&name), expected);
	arena_deinit(&arena);
}

/* As perf 6.1 calls the events of these definitions. */
static void events(void **state)
{
	assert_event("mid", "mid", "mid");
	assert_event("mid%return", "mid", "mid__return");
	assert_event("foo=mid%return", "mid", "foo__return");
	assert_event("NF_HOOK.constprop.0", "NF_HOOK.constprop.0", "NF_HOOK");
	assert_event("free\\@GLIBC_2.2.5", "free@GLIBC_2.2.5", "free");
	assert_event("0x1149", NULL, "abs_1149");
	assert_event("mid:4", "mid", "mid_L4");
	assert_event("mid:0", "mid", "mid");
	assert_event("foo=mid:4", "mid", "foo");
	assert_event("b.c:17", "mid", "mid");
	assert_event("b.c:17", NULL, "b_L17");
}

static bool is_taken(void *ctx, const char *group, const char *event)
{
	return !strcmp(group, "probe_b") && (!strcmp(event, "mid") || !strcmp(event, "mid_1"));
}

static void taken_names(void **state)
{
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_addstr(&name, "mid");
	assert_null(probe_unique_name("probe_c", &name, false, is_taken, NULL));
	assert_string_equal(strbuf_str(&name), "mid");
	struct strobe_error *err = probe_unique_name("probe_b", &name, false, is_taken, NULL);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
	assert_null(probe_unique_name("probe_b", &name, true, is_taken, NULL));
	assert_string_equal(strbuf_str(&name), "mid_2");
	for (unsigned i = 0; i < PROBE_NAME_MAX; i++)
		strbuf_addch(&name, 'x');
	err = probe_unique_name("probe_b", &name, true, is_taken, NULL);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(events),
		cmocka_unit_test(taken_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
