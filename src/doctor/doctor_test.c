/* Fake machines that each lack one feature: the result of its check, the loss and the remedy. */
#include "base/testing.h"

#include <errno.h>

#include "doctor/doctor.h"
#include "sys/faked.h"

enum { STATE, KEY, TITLE, SUBJECT, FOUND, LOSS, REMEDY };

/* The text of a cell in the only row. */
static const char *text_of(const struct table *t, size_t column)
{
	const struct table_cell *c = table_cell(t, 0, column);
	return c->set ? c->text : "";
}

/* Runs one check on a fake machine, which is destroyed: its state, and words that must be in loss and remedy. */
static void assert_finding(struct sys_faked *f, const char *key, const char *state, const char *loss, const char *remedy)
{
	struct table t;
	struct doctor_summary summary;
	assert_ok(doctor_examine(sys_faked_sys(f), (char *[]){ (char *)key }, 1, &t, &summary));
	assert_int_equal(t.rows.len, 1);
	assert_string_equal(text_of(&t, KEY), key);
	assert_string_equal(text_of(&t, STATE), state);
	assert_non_null(strstr(text_of(&t, LOSS), loss));
	assert_non_null(strstr(text_of(&t, REMEDY), remedy));
	assert_int_equal(summary.ok + summary.partly + summary.missing, 1);
	table_deinit(&t);
	sys_faked_destroy(f);
}

static struct sys_faked *machine(void)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_status(f, 0, 1000, 0);
	return f;
}

static struct sys_faked *with_file(const char *path, const char *content)
{
	struct sys_faked *f = machine();
	sys_faked_file(f, path, content);
	return f;
}

static struct sys_faked *with_errno(struct sys_faked_answer answer)
{
	struct sys_faked *f = machine();
	sys_faked_answer(f, answer);
	return f;
}

static void counters_of_the_processor(void **state)
{
	assert_finding(machine(), "hardware-counters", "ok", "", "");
	assert_finding(with_errno((struct sys_faked_answer){ .errnum = ENOENT }), "hardware-counters", "missing", "cpu-clock",
		       "driver");
	struct sys_faked *f = with_file("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
	sys_faked_answer(f, (struct sys_faked_answer){ .errnum = ENOENT });
	assert_finding(f, "hardware-counters", "missing", "cpu-clock", "-cpu host");
	assert_finding(with_errno((struct sys_faked_answer){ .errnum = EACCES }), "hardware-counters", "missing", "counts",
		       "cap_perfmon");
}

static void rights_follow_paranoid(void **state)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	assert_finding(with_file(path, "-1\n"), "rights", "ok", "", "");
	assert_finding(with_file(path, "0\n"), "rights", "partly", "tracepoints", "paranoid=-1");
	assert_finding(with_file(path, "1\n"), "rights", "partly", "whole CPUs", "paranoid=-1");
	assert_finding(with_file(path, "2\n"), "rights", "partly", "the kernel", "paranoid=-1");
	assert_finding(with_file(path, "4\n"), "rights", "missing", "everything", "paranoid=-1");
	struct sys_faked *f = with_file(path, "4\n");
	sys_faked_status(f, (uint64_t)1 << 38, 1000, 0); /* CAP_PERFMON */
	assert_finding(f, "rights", "ok", "", "");
}

static void a_container_may_forbid_it(void **state)
{
	struct sys_faked *f = with_errno((struct sys_faked_answer){ .errnum = EPERM });
	sys_faked_status(f, 0, 1000, 2);
	assert_finding(f, "perf-events", "missing", "do not work", "seccomp");
	assert_finding(with_errno((struct sys_faked_answer){ .errnum = ENOSYS }), "perf-events", "missing", "do not work",
		       "CONFIG_PERF_EVENTS");
}

static void precise_events_by_the_highest_level(void **state)
{
	assert_finding(machine(), "precise-events", "ok", "", "");
	assert_finding(with_errno((struct sys_faked_answer){ .match = MATCH_PRECISE, .precise_ip = 1, .errnum = EOPNOTSUPP }),
		       "precise-events", "missing", "after their cause", "PEBS");
	assert_finding(with_errno((struct sys_faked_answer){ .match = MATCH_PRECISE, .precise_ip = 3, .errnum = EOPNOTSUPP }),
		       "precise-events", "ok", "", "");
	assert_finding(with_errno((struct sys_faked_answer){ .match = MATCH_BRANCH, .errnum = EOPNOTSUPP }), "branch-stacks", "missing",
		       "lbr", "branches");
}

static void settings_of_the_kernel(void **state)
{
	assert_finding(with_file("/proc/sys/kernel/nmi_watchdog", "1\n"), "nmi-watchdog", "partly", "event", "nmi_watchdog=0");
	assert_finding(with_file("/proc/sys/kernel/nmi_watchdog", "0\n"), "nmi-watchdog", "ok", "", "");
	assert_finding(with_file("/proc/sys/kernel/perf_event_max_sample_rate", "250\n"), "sample-rate", "partly", "4000", "100000");
	assert_finding(with_file("/proc/sys/kernel/perf_event_max_stack", "32\n"), "stack-depth", "partly", "outer", "127");
	assert_finding(with_file("/proc/sys/kernel/sched_schedstats", "0\n"), "schedstats", "partly", "sched_stat",
		       "sched_schedstats=1");
	assert_finding(machine(), "schedstats", "partly", "sched_stat", "CONFIG_SCHEDSTATS");
	assert_finding(with_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"), "clock", "partly",
		       "slow", "clocksource=tsc");
	assert_finding(with_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n"), "lockdown", "missing",
		       "kprobes", "Secure Boot");
}

static void addresses_of_the_kernel(void **state)
{
	assert_finding(with_file("/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T start\n"), "kernel-symbols", "missing",
		       "kernel functions", "kptr_restrict=0");
	assert_finding(with_file("/proc/kallsyms", "0000000000000000 A fixed\nffffffff81000000 T _text\n"), "kernel-symbols", "ok", "",
		       "");
}

static void probes_by_their_pmus(void **state)
{
	assert_finding(machine(), "kprobes", "missing", "kernel:", "CONFIG_KPROBES");
	assert_finding(with_file("/sys/bus/event_source/devices/uprobe/type", "9\n"), "uprobes", "missing", "markers", "root");
	struct sys_faked *f = with_file("/sys/bus/event_source/devices/uprobe/type", "9\n");
	sys_faked_status(f, (uint64_t)1 << 38, 1000, 0);
	assert_finding(f, "uprobes", "ok", "", "");
}

static void unknown_checks_are_refused(void **state)
{
	struct sys_faked *f = machine();
	struct table t;
	struct doctor_summary summary;
	struct strobe_error *err = doctor_examine(sys_faked_sys(f), (char *[]){ (char *)"nosuch" }, 1, &t, &summary);
	assert_true(error_is(err, ERROR_USAGE));
	error_destroy(err);
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_the_processor), cmocka_unit_test(rights_follow_paranoid),
		cmocka_unit_test(a_container_may_forbid_it), cmocka_unit_test(precise_events_by_the_highest_level),
		cmocka_unit_test(settings_of_the_kernel),    cmocka_unit_test(addresses_of_the_kernel),
		cmocka_unit_test(probes_by_their_pmus),      cmocka_unit_test(unknown_checks_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
