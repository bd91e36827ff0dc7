/* -F as perf-script(1) describes it. */
#include "dump/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SW PERF_TYPE_SOFTWARE
#define TRACE PERF_TYPE_TRACEPOINT

static struct dump_fields parsed(const char *text)
{
	struct dump_fields f;
	dump_fields_defaults(&f);
	struct strobe_error *err = dump_fields_parse(&f, text);
	if (err)
		fail_msg("%s: %s", text, err->message);
	return f;
}

static void refused(const char *text)
{
	struct dump_fields f;
	dump_fields_defaults(&f);
	struct strobe_error *err = dump_fields_parse(&f, text);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	error_destroy(err);
}

static void test_lists(void **state)
{
	(void)state;
	struct dump_fields f = parsed("comm,ip,trace");
	assert_int_equal(f.of[SW], DUMP_FIELD(COMM) | DUMP_FIELD(IP));
	assert_int_equal(f.of[TRACE], DUMP_FIELD(COMM) | DUMP_FIELD(IP) | DUMP_FIELD(TRACE));
	f = parsed("sw:comm");
	assert_int_equal(f.of[SW], DUMP_FIELD(COMM));
	assert_true(f.of[TRACE] & DUMP_FIELD(TRACE));
	f = parsed("trace:");
	assert_int_equal(f.of[TRACE], 0);
	f = parsed("+addr,-comm");
	assert_true(f.of[SW] & DUMP_FIELD(ADDR) && f.of[SW] & DUMP_FIELD(TID));
	assert_false(f.of[SW] & DUMP_FIELD(COMM));
	f = parsed("hw:-tid");
	assert_true(f.of[SW] & DUMP_FIELD(TID));
	assert_false(f.of[PERF_TYPE_HARDWARE] & DUMP_FIELD(TID));
	refused("");
	refused("nonsense");
	refused("comm,+tid");
	refused("comm,-tid");
	refused("foo:comm");
	refused("sw:trace");
	assert_true(dump_fields_is_list("time,event,trace"));
	assert_false(dump_fields_is_list("report.py"));
	assert_false(dump_fields_is_list(""));
}

static void add_event(struct env *env, uint32_t type, uint64_t sample_type, const char *name)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .sample_type = sample_type };
	uint64_t id = env->events.len + 1;
	env_add_event(env, &attr, sizeof(attr), name, &id, 1);
}

static void test_check(void **state)
{
	(void)state;
	struct env *env = env_create();
	add_event(env, SW, PERF_SAMPLE_IP | PERF_SAMPLE_TID, "cpu-clock");
	add_event(env, TRACE, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN, "a:b");
	struct dump_fields f;
	dump_fields_defaults(&f);
	assert_null(dump_fields_check(&f, env, true));
	assert_false(f.of[SW] & (DUMP_FIELD(CPU) | DUMP_FIELD(TIME)));
	assert_true(f.of[SW] & DUMP_FIELD(SYMOFF));
	/* Tracepoints with stacks show them. */
	assert_true(f.of[TRACE] & DUMP_FIELD(IP));
	f = parsed("comm,cpu");
	struct strobe_error *err = dump_fields_check(&f, env, true);
	assert_string_equal(err->message,
			    "the samples of event 'cpu-clock' were recorded without CPU: the field 'cpu' cannot be printed");
	error_destroy(err);
	f = parsed("comm,sym");
	err = dump_fields_check(&f, env, true);
	assert_int_equal(err->code, ERROR_USAGE);
	error_destroy(err);
	f = parsed("raw:comm");
	err = dump_fields_check(&f, env, true);
	assert_int_equal(err->code, ERROR_NOT_FOUND);
	error_destroy(err);
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lists), cmocka_unit_test(test_check) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
