/* Plans over a fake tracefs: the files and values that are written, and that are restored. */
#include "ftrace/settings.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/testing.h"
#include "sys/faked.h"

#define TRACEFS "/sys/kernel/tracing"

static const char *const files[][2] = {
	{ "available_tracers", "blk function_graph function nop" },
	{ "current_tracer", "nop" },
	{ "tracing_on", "1" },
	{ "trace", "# tracer: nop" },
	{ "set_ftrace_pid", "no pid" },
	{ "set_ftrace_filter", "#### all functions enabled ####" },
	{ "set_ftrace_notrace", "#### no functions disabled ####" },
	{ "set_graph_function", "#### all functions enabled ####" },
	{ "max_graph_depth", "0" },
	{ "tracing_thresh", "0" },
	{ "tracing_cpumask", "3" },
	{ "buffer_size_kb", "7 (expanded: 1408)" },
	{ "options/sleep-time", "1" },
	{ "events/enable", "0" },
};

static struct sys_faked *made(void)
{
	struct sys_faked *f = sys_faked_create();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char path[128], content[128];
		snprintf(path, sizeof(path), TRACEFS "/%s", files[i][0]);
		snprintf(content, sizeof(content), "%s\n", files[i][1]);
		sys_faked_file(f, path, content);
	}
	sys_faked_file(f, TRACEFS "/set_ftrace_pid", "");
	return f;
}

static void assert_file(struct sys_faked *f, const char *name, const char *expected)
{
	char path[128];
	_cleanup_strbuf_ struct strbuf text = {};
	snprintf(path, sizeof(path), TRACEFS "/%s", name);
	assert_ok(sys_read(sys_faked_sys(f), path, &text, 0));
	assert_string_equal(strbuf_str(&text), expected);
}

static void values_are_written_and_put_back(void **state)
{
	struct sys_faked *f = made();
	struct ftrace_settings s = { .depth = 3, .no_sleep_time = true, .buffer_bytes = 1 << 20 };
	struct target_map target = {};
	struct ftrace_plan p;
	const struct thread_entry task = { .pid = 12, .tid = 13 };
	vec_push(&target.threads, task);
	vec_push(&s.graph_functions, "vfs_read");
	vec_push(&s.graph_functions, "vfs_w*");
	assert_ok(ftrace_plan_make(&p, sys_faked_sys(f), &s, &target));
	assert_null(p.instance); /* this tracefs has no instances */
	assert_ok(ftrace_plan_apply(&p));
	assert_file(f, "current_tracer", "function_graph\n");
	assert_file(f, "tracing_on", "0\n");
	assert_file(f, "set_ftrace_pid", "13\n");
	/* appended: a plain file keeps its contents */
	assert_file(f, "set_graph_function", "#### all functions enabled ####\nvfs_read\nvfs_w*\n");
	assert_file(f, "max_graph_depth", "3\n");
	assert_file(f, "options/sleep-time", "0\n");
	assert_file(f, "buffer_size_kb", "1024\n");
	ftrace_plan_deinit(&p);
	assert_file(f, "current_tracer", "nop");
	assert_file(f, "tracing_on", "1");
	assert_file(f, "set_ftrace_pid", "\n");
	assert_file(f, "set_graph_function", "\n");
	assert_file(f, "max_graph_depth", "0");
	assert_file(f, "options/sleep-time", "1");
	assert_file(f, "buffer_size_kb", "1408");
	vec_deinit(&target.threads);
	vec_deinit(&s.graph_functions);
	sys_faked_destroy(f);
}

static void cpus_are_a_mask(void **state)
{
	struct sys_faked *f = made();
	struct ftrace_settings s = { .tracer = "function" };
	struct target_map target = { .system_wide = true };
	struct ftrace_plan p;
	vec_push(&target.cpus, 33);
	vec_push(&target.cpus, 0);
	vec_push(&target.cpus, 2);
	assert_ok(ftrace_plan_make(&p, sys_faked_sys(f), &s, &target));
	assert_ok(ftrace_plan_apply(&p));
	assert_file(f, "tracing_cpumask", "2,00000005\n");
	ftrace_plan_deinit(&p);
	vec_deinit(&target.cpus);
	sys_faked_destroy(f);
}

/* If tracefs is in use, or the kernel lacks the tracer or the option, nothing is changed. */
static void what_cannot_be_is_refused(void **state)
{
	struct sys_faked *f = made();
	struct target_map target = { .system_wide = true };
	struct ftrace_settings plain = {}, arguments = { .arguments = true }, functions = {};
	struct ftrace_plan p;
	assert_fails(ftrace_plan_make(&p, sys_faked_sys(f), &arguments, &target), ERROR_UNSUPPORTED);
	ftrace_plan_deinit(&p);
	vec_push(&functions.functions, "schedule");
	sys_faked_file(f, TRACEFS "/set_ftrace_filter", "vfs_read\n");
	assert_fails(ftrace_plan_make(&p, sys_faked_sys(f), &functions, &target), ERROR_OTHER);
	ftrace_plan_deinit(&p);
	vec_deinit(&functions.functions);
	sys_faked_file(f, TRACEFS "/current_tracer", "blk\n");
	assert_fails(ftrace_plan_make(&p, sys_faked_sys(f), &plain, &target), ERROR_OTHER);
	ftrace_plan_deinit(&p);
	sys_faked_file(f, TRACEFS "/available_tracers", "blk function nop\n");
	assert_fails(ftrace_plan_make(&p, sys_faked_sys(f), &plain, &target), ERROR_UNSUPPORTED);
	ftrace_plan_deinit(&p);
	assert_file(f, "tracing_on", "1\n");
	assert_file(f, "set_ftrace_filter", "vfs_read\n");
	sys_faked_destroy(f);
}

static void options_are_parsed(void **state)
{
	struct ftrace_settings s = {};
	assert_ok(ftrace_graph_options_parse("args,retval-hex,thresh=10,depth=3", &s));
	assert_true(s.arguments && s.return_values_hex && !s.return_values);
	assert_int_equal(s.threshold_us, 10);
	assert_int_equal(s.depth, 3);
	assert_ok(ftrace_function_options_parse("call-graph", &s));
	assert_true(s.call_graph && !s.irq_info);
	assert_fails(ftrace_graph_options_parse("thresh", &s), ERROR_USAGE);
	assert_fails(ftrace_graph_options_parse("args=1", &s), ERROR_USAGE);
	assert_fails(ftrace_graph_options_parse("call-graph", &s), ERROR_USAGE);
	assert_fails(ftrace_function_options_parse("", &s), ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_written_and_put_back),
		cmocka_unit_test(cpus_are_a_mask),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(options_are_parsed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
