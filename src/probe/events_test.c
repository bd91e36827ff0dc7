#include "base/testing.h"
#include "probe/lines.h"
#include "probe/tables.h"
#include "sys/faked.h"

#define TRACEFS "/sys/kernel/tracing"

static struct sys_faked *faked;
static struct probe_events events;
static struct arena arena;

static int set_up(void **state)
{
	faked = sys_faked_create();
	arena_init(&arena);
	/* As the kernel lists them: addresses, kinds, names, modules. */
	sys_faked_file(faked, "/proc/kallsyms",
		       "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81001000 T tcp_sendmsg\nffffffff81001000 t tcp_alias\n"
		       "ffffffff81001200 t tcp_recvmsg\nffffffff81001300 T schedule\nffffffff81002000 D jiffies\n"
		       "ffffffffc0001000 t nf_hook\t[nf_tables]\nffffffffc0001100 t nf_end\t[nf_tables]\n");
	sys_faked_file(faked, TRACEFS "/events/enable", "0\n");
	sys_faked_file(faked, TRACEFS "/README", "\t  Create/append/remove/show the kernel dynamic events\n");
	sys_faked_file(faked, TRACEFS "/kprobe_events", "p:probe/schedule _text+4864\n");
	return 0;
}

static int tear_down(void **state)
{
	sys_faked_destroy(faked);
	arena_deinit(&arena);
	return 0;
}

static struct strobe_error *add(const char *module, const char *definition)
{
	const struct probe_files files = {};
	const struct probe_search search = {};
	struct probe_definition d;
	struct probe_target t;
	struct strobe_error *err = probe_definition_parse(definition, &arena, &d);
	assert_null(err);
	err = probe_target_kernel(sys_faked_sys(faked), module, &files, &t);
	if (!err) {
		err = probe_events_add(&events, &t, &d, &search);
		probe_target_close(&t);
	}
	probe_definition_deinit(&d);
	return err;
}

static void assert_line(const char *module, const char *definition, const char *expected)
{
	assert_null(probe_events_init(sys_faked_sys(faked), true, true, &events));
	struct strobe_error *err = add(module, definition);
	if (err)
		fail_msg("%s: %s", definition, err->message);
	assert_string_equal(events.list.data[0].line, expected);
	probe_events_deinit(&events);
}

static void refuse(const char *module, const char *definition, enum error_code code, const char *words)
{
	assert_null(probe_events_init(sys_faked_sys(faked), true, true, &events));
	struct strobe_error *err = add(module, definition);
	assert_true(error_is(err, code));
	if (!strstr(err->message, words))
		fail_msg("%s: %s", definition, err->message);
	error_destroy(err);
	probe_events_deinit(&events);
}

/* As perf -D prints them of a kernel: addresses count from _text, returns are of functions. */
static void lines_of_the_kernel(void **state)
{
	assert_line(NULL, "tcp_sendmsg", "p:probe/tcp_sendmsg _text+4096");
	assert_line(NULL, "tcp_sendmsg+4 %di", "p:probe/tcp_sendmsg _text+4100 %di");
	assert_line(NULL, "tcp_sendmsg bytes=%cx", "p:probe/tcp_sendmsg _text+4096 bytes=%cx");
	assert_line(NULL, "tcp_sendmsg%return $retval", "r:probe/tcp_sendmsg__return tcp_sendmsg+0 $retval");
	assert_line(NULL, "myfunc=tcp_recvmsg%return +0($retval):string", "r:probe/myfunc__return tcp_recvmsg+0 +0($retval):string");
	assert_line(NULL, "net:send=tcp_alias", "p:net/send _text+4096");
	assert_line("nf_tables", "nf_hook+8", "p:probe/nf_hook nf_tables:nf_hook+8");
	assert_line(NULL, "0xffffffff81001010", "p:probe/abs_ffffffff81001010 _text+4112");
}

static void wrong_places(void **state)
{
	refuse(NULL, "tcp_sendms", ERROR_NOT_FOUND, "did you mean 'tcp_sendmsg'?");
	refuse(NULL, "jiffies", ERROR_USAGE, "is data");
	refuse(NULL, "tcp_sendmsg+4096", ERROR_USAGE, "has 512 bytes");
	refuse(NULL, "tcp_sendmsg:4", ERROR_NOT_FOUND, "no debug information");
	refuse(NULL, "net/tcp.c:4", ERROR_NOT_FOUND, "no debug information");
	refuse(NULL, "0xffffffff81002000", ERROR_USAGE, "not in a function");
	refuse(NULL, "%sdt_a:b", ERROR_USAGE, "markers are in programs");
	refuse("no_such_module", "f", ERROR_NOT_FOUND, "no_such_module");
}

static void globs(void **state)
{
	assert_null(probe_events_init(sys_faked_sys(faked), false, false, &events));
	assert_null(add(NULL, "tcp_*"));
	/* two names of one address are one place */
	assert_int_equal(events.list.len, 2);
	assert_string_equal(events.list.data[0].event, "tcp_alias");
	assert_string_equal(events.list.data[1].event, "tcp_recvmsg");
	probe_events_deinit(&events);
}

static void assert_file(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_null(sys_read(sys_faked_sys(faked), path, &text, 0));
	assert_string_equal(strbuf_str(&text), expected);
}

static void names_that_are_taken(void **state)
{
	assert_null(probe_events_init(sys_faked_sys(faked), false, false, &events));
	struct strobe_error *err = add(NULL, "schedule");
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
	probe_events_deinit(&events);
	assert_null(probe_events_init(sys_faked_sys(faked), false, true, &events));
	assert_null(add(NULL, "schedule"));
	assert_string_equal(events.list.data[0].line, "p:probe/schedule_1 _text+4864");
	probe_events_deinit(&events);
}

/* The second one cannot be added: the kernel has no uprobe_events. The first one is removed again. */
static void all_or_none(void **state)
{
	assert_null(probe_events_init(sys_faked_sys(faked), false, false, &events));
	assert_null(add(NULL, "tcp_sendmsg"));
	struct probe_event program = events.list.data[0];
	program.kind = PROBE_PROGRAM;
	program.line = "p:probe_b/mid /tmp/b:0x1149";
	vec_push(&events.list, program);
	struct strobe_error *err = probe_events_install(sys_faked_sys(faked), &events);
	assert_true(error_is(err, ERROR_UNSUPPORTED));
	assert_non_null(strstr(err->message, "CONFIG_UPROBE_EVENTS"));
	error_destroy(err);
	/* a file keeps what the kernel would carry out */
	assert_file(TRACEFS "/kprobe_events", "p:probe/schedule _text+4864\np:probe/tcp_sendmsg _text+4096-:probe/tcp_sendmsg");
	probe_events_deinit(&events);
}

static void installed_ones(void **state)
{
	const struct probe_files files = {};
	struct probe_list list;
	struct table t;
	sys_faked_file(faked, TRACEFS "/kprobe_events",
		       "p:probe/schedule _text+4864\nr16:probe/recv__return tcp_recvmsg+0 arg1=$retval\n"
		       "p:mine/nf nf_tables:nf_hook+8 a=%di b=%si\n"
		       "t:tprobes/x sched_switch\n");
	assert_null(probe_list_read(sys_faked_sys(faked), &list));
	assert_int_equal(list.events.len, 3);
	assert_true(list.exists[PROBE_KERNEL]);
	assert_false(list.exists[PROBE_PROGRAM]);
	probe_installed_table(sys_faked_sys(faked), &list, NULL, &files, &t);
	static const char *const expected[] = {
		"mine:nf              (on nf_hook+8 in nf_tables with a b)",
		"probe:recv__return   (on tcp_recvmsg%return with arg1)",
		"probe:schedule       (on schedule)",
	};
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(table_cell(&t, i, 0)->text, expected[i]);
	table_deinit(&t);
	probe_list_deinit(&list);
}

static void boot_lines(void **state)
{
	struct table t;
	assert_null(probe_events_init(sys_faked_sys(faked), true, true, &events));
	assert_null(add(NULL, "x=tcp_sendmsg a=%di"));
	assert_null(probe_events_table(&events, true, &t));
	assert_string_equal(table_cell(&t, 0, 0)->text, "ftrace.event.kprobes.x.probe = '_text+4096 a=%di'");
	table_deinit(&t);
	probe_events_deinit(&events);
}

static void paths_and_patterns(void **state)
{
	assert_true(probe_path_matches("b.c", "/src/b.c"));
	assert_true(probe_path_matches("src/b.c", "/src/b.c"));
	assert_true(probe_path_matches("/src/b.c", "/src/b.c"));
	assert_false(probe_path_matches("b.c", "/src/ab.c"));
	assert_false(probe_path_matches("", "/src/b.c"));
	static const char text[] = "\tr += inl(i) + p->x;";
	assert_true(probe_pattern_matches("r+=*", text, sizeof(text) - 1));
	assert_true(probe_pattern_matches("r += inl ( i ) *", text, sizeof(text) - 1));
	assert_false(probe_pattern_matches("inl*", text, sizeof(text) - 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_of_the_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(globs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_that_are_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_or_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(installed_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(boot_lines, set_up, tear_down),
		cmocka_unit_test(paths_and_patterns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
