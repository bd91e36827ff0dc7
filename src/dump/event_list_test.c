/* The events of a recording as lines and as JSON, written by hand. */
#include "base/testing.h"

#include "dump/event_list.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define FORMAT_TEXT                                                                                   \
	"name: tick\nID: 7\nformat:\n"                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                      \
	"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n\tfield:int b;\toffset:8;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"%d\", REC->a\n"

static struct env *recording(void)
{
	struct env *env = env_create();
	const struct perf_event_attr cycles = { .size = 64, .freq = 1, .sample_freq = 99 },
				     tick = { .type = PERF_TYPE_TRACEPOINT, .size = 64, .config = 7, .sample_period = 1 };
	const uint64_t ids[] = { 5, UINT64_MAX };
	env_add_event(env, &cycles, 64, "cycles", ids, 2);
	env_add_event(env, &tick, 64, "x:tick", NULL, 0);
	env->events.data[0].group_name = "g";
	env->events.data[0].group_members = 2;
	env->events.data[1].leader = 0;
	return env;
}

static void assert_lines(const struct event_list_options *options, const char *expected)
{
	struct env *env = recording();
	struct tracepoints *formats = tracepoints_create(false, sizeof(long));
	struct table t;
	struct out out;
	assert_ok(tracepoints_add(formats, "x", FORMAT_TEXT, strlen(FORMAT_TEXT)));
	event_list_table(env, formats, options, &t);
	out_init_mem(&out);
	table_text(&out, &t, NULL);
	out_ch(&out, '\0');
	assert_string_equal(out.buf, expected);
	assert_ok(out_close(&out));
	table_deinit(&t);
	tracepoints_destroy(formats);
	env_destroy(env);
}

static void lines_have_the_fields_that_are_chosen(void **state)
{
	assert_lines(&(struct event_list_options){}, "cycles\nx:tick\n");
	assert_lines(&(struct event_list_options){ .freq = true }, "cycles: sample_freq=99\nx:tick: sample_period=1\n");
	assert_lines(&(struct event_list_options){ .trace_fields = true }, "cycles: (not a tracepoint)\nx:tick: trace_fields: a,b\n");
	assert_lines(&(struct event_list_options){ .freq = true, .trace_fields = true },
		     "cycles: sample_freq=99, (not a tracepoint)\nx:tick: sample_period=1, trace_fields: a,b\n");
	assert_lines(&(struct event_list_options){ .by_group = true }, "g{cycles,x:tick}\n");
}

static void data_have_numbers_where_the_attr_has_decimal_ones(void **state)
{
	struct env *env = recording();
	struct tracepoints *formats = tracepoints_create(false, sizeof(long));
	struct table t;
	struct out out;
	event_list_table(env, formats, &(struct event_list_options){}, &t);
	out_init_mem(&out);
	table_json(&out, &t);
	out_ch(&out, '\0');
	assert_string_equal(out.buf,
			    "{\n  \"format\": \"strobe-evlist\",\n  \"version\": 1,\n  \"events\": [\n"
			    "    {\n      \"name\": \"cycles\",\n      \"type\": 0,\n      \"config\": \"0x0\",\n"
			    "      \"sample_freq\": 99,\n"
			    "      \"attr\": {\n        \"size\": 64,\n        \"sample_period\": 99,\n        \"freq\": 1\n      },\n"
			    "      \"ids\": [\n        5,\n        18446744073709551615\n      ],\n      \"leader\": 0\n    },\n"
			    "    {\n      \"name\": \"x:tick\",\n      \"type\": 2,\n      \"config\": \"0x7\",\n"
			    "      \"sample_period\": 1,\n"
			    "      \"attr\": {\n        \"type\": 2,\n        \"size\": 64,\n        \"config\": \"0x7\",\n"
			    "        \"sample_period\": 1\n      },\n"
			    "      \"ids\": [],\n      \"leader\": 0\n    }\n  ]\n}\n");
	assert_ok(out_close(&out));
	table_deinit(&t);
	tracepoints_destroy(formats);
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_the_fields_that_are_chosen),
		cmocka_unit_test(data_have_numbers_where_the_attr_has_decimal_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
