/* The default event, and the messages about events that could not be opened. */
#include "base/testing.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>

#include "event/open.h"
#include "sys/faked.h"

static void default_steps_down(void **state)
{
	static const struct {
		struct sys_faked_answer answers[2];
		enum event_default_step step;
		bool user_only;
		const char *name;
		unsigned precise;
	} rows[] = {
		{ { { 0 } }, EVENT_DEFAULT_CYCLES_PPP, false, "cycles:ppp", 3 },
		{ { { .match = MATCH_PRECISE, .precise_ip = 3, .errnum = EOPNOTSUPP } },
		  EVENT_DEFAULT_CYCLES_PP,
		  false,
		  "cycles:pp",
		  2 },
		{ { { .match = MATCH_PRECISE, .precise_ip = 2, .errnum = EINVAL } },
		  EVENT_DEFAULT_CYCLES_P,
		  false,
		  "cycles:p",
		  1 },
		{ { { .match = MATCH_PRECISE, .precise_ip = 1, .errnum = EOPNOTSUPP } },
		  EVENT_DEFAULT_CYCLES,
		  false,
		  "cycles",
		  0 },
		{ { { .match = MATCH_TYPE, .type = PERF_TYPE_HARDWARE, .errnum = ENOENT } },
		  EVENT_DEFAULT_CPU_CLOCK,
		  false,
		  "cpu-clock",
		  0 },
		{ { { .match = MATCH_KERNEL, .errnum = EACCES } }, EVENT_DEFAULT_CYCLES_PPP, true, "cycles:pppu", 3 },
		{ { { .match = MATCH_KERNEL, .errnum = EACCES },
		    { .match = MATCH_TYPE, .type = PERF_TYPE_HARDWARE, .errnum = ENOENT } },
		  EVENT_DEFAULT_CPU_CLOCK,
		  true,
		  "cpu-clock:u",
		  0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sys_faked *f = sys_faked_create();
		for (size_t k = 0; k < 2; k++)
			if (rows[i].answers[k].match)
				sys_faked_answer(f, rows[i].answers[k]);
		struct event_list list;
		event_list_init(&list);
		struct event_default taken;
		assert_ok(event_default(&list, sys_faked_sys(f), 0, -1, &taken));
		assert_int_equal(taken.step, rows[i].step);
		assert_int_equal(taken.user_only, rows[i].user_only);
		assert_int_equal(list.events.len, 1);
		const struct event *e = &list.events.data[0];
		assert_string_equal(e->name, rows[i].name);
		assert_int_equal(e->attr.precise_ip, rows[i].precise);
		assert_int_equal(e->attr.exclude_kernel, rows[i].user_only);
		assert_int_equal(e->attr.exclude_guest, 1);
		event_list_deinit(&list);
		sys_faked_destroy(f);
	}
}

static void default_fails_with_a_reason(void **state)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_answer(f, (struct sys_faked_answer){ .errnum = EACCES });
	sys_faked_file(f, "/proc/sys/kernel/perf_event_paranoid", "3\n");
	sys_faked_status(f, 0, 1000, 0);
	struct event_list list;
	event_list_init(&list);
	struct event_default taken;
	struct strobe_error *err = event_default(&list, sys_faked_sys(f), 0, -1, &taken);
	assert_int_equal(err->code, ERROR_PERMISSION);
	assert_non_null(strstr(err->message, "perf_event_paranoid is 3"));
	error_destroy(err);
	assert_int_equal(list.events.len, 0);
	event_list_deinit(&list);
	sys_faked_destroy(f);
}

struct machine {
	const char *paranoid;
	uint64_t caps;
	int seccomp;
	const char *lockdown;
	bool pmu;
};

static const struct machine user2 = { "2\n", 0, 0, NULL, true }, user1 = { "1\n", 0, 0, NULL, true },
			    user3 = { "3\n", 0, 0, NULL, true }, vm = { "2\n", ~0ull, 0, NULL, false },
			    root = { "2\n", ~0ull, 0, NULL, true }, box = { "2\n", ~0ull, 2, NULL, true },
			    user_box = { "-1\n", 0, 2, NULL, true },
			    locked = { "2\n", 1ull << CAP_PERFMON, 0, "none integrity [confidentiality]\n",
				       true };
static const struct {
	const struct machine *machine;
	const char *text;
	int errnum;
	pid_t pid;
	int cpu;
	const char *says[3];
} refusals[] = {
	{ &user2, "cycles", EACCES, 0, -1, { "perf_event_paranoid is 2", ":u", "perf_event_paranoid=1" } },
	{ &user1, "cycles", EACCES, -1, 0, { "all processes", "perf_event_paranoid=0" } },
	{ &user3, "cycles:u", EACCES, 0, -1, { "perf_event_paranoid is 3", "CAP_PERFMON" } },
	{ &user2, "sched:sched_switch", EPERM, 0, -1, { "tracepoint", "perf_event_paranoid=-1" } },
	{ &user1, "cycles:u", EACCES, 77, -1, { "process 77", "another user" } },
	{ &locked, "cycles", EPERM, 0, -1, { "locked down", "confidentiality" } },
	{ &box, "cycles", EPERM, 0, -1, { "seccomp" } },
	{ &user_box, "cycles", EPERM, 0, -1, { "seccomp" } },
	{ &root, "cycles", EPERM, 0, -1, { "security module" } },
	{ &vm, "cycles", ENOENT, 0, -1, { "no hardware counters", "cpu-clock" } },
	{ &root, "cycles", ENOENT, 0, -1, { "not supported by this CPU" } },
	{ &root, "cs", EMFILE, 0, -1, { "ulimit -n" } },
	{ &root, "cs", ENFILE, 0, -1, { "fs.file-max" } },
	{ &root, "cs", ESRCH, 99, -1, { "process 99 does not exist" } },
	{ &root, "cs", ENODEV, -1, 9, { "CPU 9", "offline" } },
	{ &root, "mem:0x1003/4:w", EINVAL, 0, -1, { "lengths are 1, 2, 4 and 8" } },
	{ &root, "mem:0x1000", ENOSPC, 0, -1, { "breakpoint registers" } },
	{ &root, "cycles:ppp", EOPNOTSUPP, 0, -1, { "fewer p" } },
	{ &root, "cycles", EBUSY, 0, -1, { "nmi_watchdog" } },
	{ &root, "cs", ENOSYS, 0, -1, { "CONFIG_PERF_EVENTS" } },
	{ &root, "cs", EINVAL, 0, -1, { "-vv" } },
	{ &root, "cs", E2BIG, 0, -1, { "does not support" } },
	{ &root, "cs", EIO, 0, -1, { "Input/output error" } },
};

static void sentences_name_what_is_in_the_way(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct sys_faked *f = sys_faked_create();
		const struct machine *m = refusals[i].machine;
		sys_faked_file(f, "/proc/sys/kernel/perf_event_paranoid", m->paranoid);
		sys_faked_status(f, m->caps, m->caps ? 0 : 1000, m->seccomp);
		sys_faked_tracepoint(f, "sched", "sched_switch", 314);
		if (m->lockdown)
			sys_faked_file(f, "/sys/kernel/security/lockdown", m->lockdown);
		if (m->pmu)
			sys_faked_file(f, "/sys/bus/event_source/devices/cpu/type", "4\n");
		struct event_list list;
		event_list_init(&list);
		assert_ok(event_parse(&list, sys_faked_sys(f), refusals[i].text));
		struct strobe_error *err = event_open_error(&list.events.data[0], refusals[i].errnum, sys_faked_sys(f),
							    refusals[i].pid, refusals[i].cpu);
		for (size_t k = 0; k < 3 && refusals[i].says[k]; k++)
			if (!strstr(err->message, refusals[i].says[k]) || strchr(err->message, '\n'))
				fail_msg("%s, errno %d: %s", refusals[i].text, refusals[i].errnum, err->message);
		assert_int_equal(err->errnum, refusals[i].errnum);
		error_destroy(err);
		event_list_deinit(&list);
		sys_faked_destroy(f);
	}
}

static void limits_of_the_kernel_and_of_the_pmu_are_named(void **state)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, "/proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
	struct event e = { .name = "cs", .attr = { .freq = 1, .sample_freq = 60000 }, .kind = EVENT_SOFTWARE };
	struct strobe_error *err = event_open_error(&e, EINVAL, sys_faked_sys(f), 0, -1);
	assert_int_equal(err->code, ERROR_LIMIT);
	assert_non_null(strstr(err->message, "perf_event_max_sample_rate, which is 50000"));
	error_destroy(err);
	struct event branches = { .name = "cpu-clock", .attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK }, .kind = EVENT_SOFTWARE };
	err = event_open_error(&branches, EOPNOTSUPP, sys_faked_sys(f), 0, -1);
	assert_non_null(strstr(err->message, "a virtual machine without a PMU"));
	error_destroy(err);
	sys_faked_file(f, "/sys/bus/event_source/devices/cpu/type", "4\n");
	err = event_open_error(&branches, EOPNOTSUPP, sys_faked_sys(f), 0, -1);
	assert_non_null(strstr(err->message, "its PMU does not have them"));
	error_destroy(err);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_steps_down),
		cmocka_unit_test(default_fails_with_a_reason),
		cmocka_unit_test(sentences_name_what_is_in_the_way),
		cmocka_unit_test(limits_of_the_kernel_and_of_the_pmu_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
