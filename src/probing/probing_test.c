/* The kernel's list of probes and definitions, in a fake system: lines as in kprobetrace.rst, messages as in perf. */
#include "probing/probing.h"

#include <string.h>

#include "base/testing.h"
#include "sys/faked.h"

#define TRACEFS "/sys/kernel/tracing"
#define INSTALLED "p:probe/schedule _text+4864\np:probe/tcp_a tcp_sendmsg+0\np:probe/tcp_a tcp_recvmsg+0\nr8:other/tcp_b tcp_recvmsg+0\n"

static struct sys_faked *faked;
static struct strbuf said, progress;

static void say(void *ctx, const char *line)
{
	strbuf_addf(&said, "%s\n", line);
}

static void show_progress(void *ctx, const char *line)
{
	strbuf_addf(&progress, "%s\n", line);
}

static const struct session_host host = { .say = say, .progress = show_progress };
static struct probing_settings settings;
static struct probing probing;

static int set_up(void **state)
{
	faked = sys_faked_create();
	sys_faked_file(faked, "/proc/kallsyms",
		       "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81001000 T tcp_sendmsg\n"
		       "ffffffff81001200 t tcp_recvmsg\nffffffff81001300 T schedule\n");
	sys_faked_file(faked, TRACEFS "/events/enable", "0\n");
	sys_faked_file(faked, TRACEFS "/README", "\t  Create/append/remove/show the kernel dynamic events\n");
	sys_faked_file(faked, TRACEFS "/kprobe_events", INSTALLED);
	settings = (struct probing_settings){ .host = &host, .sys = sys_faked_sys(faked) };
	probing_init(&probing, &settings);
	strbuf_reset(&said);
	strbuf_reset(&progress);
	return 0;
}

static int tear_down(void **state)
{
	probing_deinit(&probing);
	sys_faked_destroy(faked);
	strbuf_deinit(&said);
	strbuf_deinit(&progress);
	return 0;
}

static void assert_file(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_null(sys_read(settings.sys, path, &text, 0));
	assert_string_equal(strbuf_str(&text), expected);
}

static void definitions_are_lines(void **state)
{
	const struct probing_request requests[] = { { .text = "schedule" }, { .text = "mine:x=tcp_sendmsg%return" } };
	struct table t;
	assert_null(probing_definitions(&probing, requests, 2, false, &t));
	assert_int_equal(t.rows.len, 2);
	table_deinit(&t);
	assert_file(TRACEFS "/kprobe_events", INSTALLED);
	assert_string_equal(strbuf_str(&said), "");
	const struct probing_request wrong = { .text = "no_such_function" };
	struct strobe_error *err = probing_definitions(&probing, &wrong, 1, false, &t);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	error_destroy(err);
}

static void dry_runs_only_report(void **state)
{
	const struct probing_request request = { .text = "tcp_sendmsg" };
	struct probe_events events;
	settings.dry_run = true;
	settings.verbose = 1;
	assert_null(probing_add(&probing, &request, 1, &events));
	assert_int_equal(events.list.len, 1);
	assert_non_null(strstr(strbuf_str(&progress), "probe-definition(0): tcp_sendmsg\nsymbol:tcp_sendmsg file:(null) line:0 offset:0 "
						      "return:0 lazy:(null)\n0 arguments\nWriting event: p:probe/tcp_sendmsg "));
	probe_events_deinit(&events);
	assert_file(TRACEFS "/kprobe_events", INSTALLED);
}

/* Two probes of one event count as one name. */
static void patterns_choose_what_goes(void **state)
{
	static const char *const patterns[] = { "probe:tcp*", "nothing" };
	assert_null(probing_remove(&probing, patterns, 2));
	assert_string_equal(strbuf_str(&progress), "Removed event: probe:tcp_a\n");
	struct strobe_error *err = probing_remove(&probing, patterns + 1, 1);
	assert_string_equal(err->message, "no probe matches 'nothing': -l lists them");
	error_destroy(err);
}

static void quiet_says_nothing(void **state)
{
	static const char *const all = "*";
	settings.quiet = settings.dry_run = true;
	assert_null(probing_remove(&probing, &all, 1));
	assert_string_equal(strbuf_str(&progress), "");
	assert_file(TRACEFS "/kprobe_events", INSTALLED);
}

static void installed_probes_are_listed_by_pattern(void **state)
{
	static const char *const patterns[] = { "tcp_b", "schedule" };
	struct table t;
	assert_null(probing_installed(&probing, patterns, 2, &t));
	assert_int_equal(t.rows.len, 2);
	table_deinit(&t);
	assert_null(probing_installed(&probing, NULL, 0, &t));
	assert_int_equal(t.rows.len, 4);
	table_deinit(&t);
}

/* By default, names that begin with '_' are left out. */
static void functions_of_the_kernel(void **state)
{
	const struct probing_request of = {};
	struct table t;
	assert_null(probing_functions(&probing, &of, NULL, false, &t));
	assert_int_equal(t.rows.len, 3);
	table_deinit(&t);
	assert_null(probing_functions(&probing, &of, "tcp_*", false, &t));
	assert_int_equal(t.rows.len, 2);
	table_deinit(&t);
	struct strobe_error *err = probing_functions(&probing, &of, "(tcp", false, &t);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
}

static void tabs_stay_and_escapes_do_not(void **state)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	probing_put_line(&out, "\tint x;\033[31m", 12);
	const char *text = out_mem(&out, &n);
	assert_int_equal(n, strlen("\tint x;\\x1b[31m\n"));
	assert_memory_equal(text, "\tint x;\\x1b[31m\n", n);
	error_destroy(out_close(&out));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(definitions_are_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(dry_runs_only_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(patterns_choose_what_goes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(quiet_says_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(installed_probes_are_listed_by_pattern, set_up, tear_down),
		cmocka_unit_test_setup_teardown(functions_of_the_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tabs_stay_and_escapes_do_not, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
