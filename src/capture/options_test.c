/* options, schedule, control: what users type, and what it must mean. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/control.h"
#include "capture/options.h"
#include "capture/schedule.h"
#include "capture/workload.h"
#include "sys/faked.h"

static void assert_refused(struct strobe_error *err)
{
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	error_destroy(err);
}

static void call_graphs(void **state)
{
	struct callgraph_options c = {};
	assert_ok(callgraph_parse("fp", &c));
	assert_int_equal(c.mode, CALLGRAPH_FP);
	assert_ok(callgraph_parse("dwarf", &c));
	assert_int_equal(c.mode, CALLGRAPH_DWARF);
	assert_int_equal(c.dump_bytes, 8192);
	assert_ok(callgraph_parse("dwarf,4093", &c));
	assert_int_equal(c.dump_bytes, 4096); /* whole words */
	assert_ok(callgraph_parse("dwarf,16K", &c));
	assert_int_equal(c.dump_bytes, 16384);
	assert_ok(callgraph_parse("lbr", &c));
	assert_int_equal(c.mode, CALLGRAPH_LBR);
	assert_ok(callgraph_parse("fp,defer", &c));
	assert_int_equal(c.mode, CALLGRAPH_FP);
	assert_true(c.defer);
	assert_ok(callgraph_parse("fp,leaf", &c));
	assert_int_equal(c.mode, CALLGRAPH_FP);
	assert_true(c.leaf && !c.defer);
	assert_ok(callgraph_parse("fp", &c));
	assert_false(c.defer || c.leaf);
	assert_ok(callgraph_parse("eh", &c));
	assert_int_equal(c.mode, CALLGRAPH_EH);
	assert_ok(callgraph_parse("auto", &c));
	assert_int_equal(c.mode, CALLGRAPH_AUTO);
	assert_ok(callgraph_parse("eh,native", &c));
	assert_true(c.mode == CALLGRAPH_EH && c.native);
	assert_refused(callgraph_parse("eh,8192", &c));
	assert_refused(callgraph_parse("dwarf,65536", &c));
	assert_refused(callgraph_parse("dwarf,0", &c));
	assert_refused(callgraph_parse("dwarves", &c));
	assert_refused(callgraph_parse("fp,8", &c));
	assert_refused(callgraph_parse("", &c));
}

static void branch_filters(void **state)
{
	uint64_t mask;
	assert_ok(branch_filter_parse("any", &mask));
	assert_int_equal(mask, PERF_SAMPLE_BRANCH_ANY);
	assert_ok(branch_filter_parse("any_call,u", &mask));
	assert_int_equal(mask, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	/* A privilege alone, as perf's test-record-branch-filter-u has it. */
	assert_ok(branch_filter_parse("u", &mask));
	assert_int_equal(mask, PERF_SAMPLE_BRANCH_ANY);
	assert_refused(branch_filter_parse("any,sideways", &mask));
}

static void clocks_sizes_and_kinds(void **state)
{
	int32_t clock;
	assert_ok(clockid_parse("mono", &clock));
	assert_int_equal(clock, CLOCK_MONOTONIC);
	assert_ok(clockid_parse("CLOCK_BOOTTIME", &clock));
	assert_int_equal(clock, CLOCK_BOOTTIME);
	assert_ok(clockid_parse("4", &clock));
	assert_int_equal(clock, CLOCK_MONOTONIC_RAW);
	assert_refused(clockid_parse("sundial", &clock));
	uint64_t pages, page = (uint64_t)sysconf(_SC_PAGESIZE);
	assert_ok(mmap_pages_parse("512", &pages));
	assert_int_equal(pages, 512);
	assert_ok(mmap_pages_parse("100", &pages));
	assert_int_equal(pages, 128);
	assert_ok(mmap_pages_parse("2M", &pages));
	assert_int_equal(pages, (2u << 20) / page);
	assert_refused(mmap_pages_parse("many", &pages));
	assert_refused(mmap_pages_parse("4294967296", &pages));
	unsigned parts;
	assert_ok(synth_parts_parse("no", &parts));
	assert_int_equal(parts, 0);
	assert_ok(synth_parts_parse("task,cgroup", &parts));
	assert_int_equal(parts, SYNTH_TASK | SYNTH_CGROUP);
	assert_ok(synth_parts_parse("mmap", &parts));
	assert_int_equal(parts, SYNTH_TASK | SYNTH_MMAP);
	assert_refused(synth_parts_parse("everything", &parts));
}

static void registers(void **state)
{
	uint64_t mask;
	if (!sample_regs_all())
		skip();
	assert_ok(sample_regs_parse(NULL, true, &mask));
	assert_int_equal(mask, sample_regs_all());
	assert_refused(sample_regs_parse("nosuch", true, &mask));
#if defined(__x86_64__)
	/* arch/x86/include/uapi/asm/perf_regs.h: SP is 7, IP is 8, R15 is 23; segments but CS and SS are not sampled.
	 */
	assert_ok(sample_regs_parse("ip,SP,r15", false, &mask));
	assert_int_equal(mask, 1u << 7 | 1u << 8 | 1u << 23);
	assert_int_equal(sample_regs_all(), 0xff0fff);
#endif
}

static void delays(void **state)
{
	struct delay_schedule d;
	assert_ok(delay_parse("100", &d));
	assert_int_equal(d.ranges.len, 1);
	assert_int_equal(d.ranges.data[0].start_ms, 100);
	assert_int_equal(d.ranges.data[0].end_ms, 0);
	uint64_t begin_ms;
	assert_true(delay_edge(&d, 0, &begin_ms));
	assert_int_equal(begin_ms, 100);
	assert_false(delay_edge(&d, 1, &begin_ms)); /* counts to the end */
	vec_deinit(&d.ranges);
	assert_ok(delay_parse("-1", &d));
	assert_true(d.never);
	assert_ok(delay_parse("0", &d));
	assert_int_equal(d.ranges.len, 0);
	assert_ok(delay_parse("10-20,30-40", &d));
	assert_int_equal(d.ranges.len, 2);
	assert_int_equal(d.ranges.data[1].start_ms, 30);
	assert_int_equal(d.ranges.data[1].end_ms, 40);
	uint64_t at_ms;
	const uint64_t edges[] = { 10, 20, 30, 40 };
	for (size_t i = 0; i < 4; i++) {
		assert_true(delay_edge(&d, i, &at_ms));
		assert_int_equal(at_ms, edges[i]);
	}
	assert_false(delay_edge(&d, 4, &at_ms));
	vec_deinit(&d.ranges);
	assert_refused(delay_parse("-2", &d));
	assert_refused(delay_parse("20-10", &d));
	assert_refused(delay_parse("10-30,20-40", &d));
	assert_refused(delay_parse("soon", &d));
}

static void fill(sys_cpus *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(v, i);
}

static void thread_masks(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	sys_cpus used = {};
	struct reader_masks m;
	fill(&used, 4);
	assert_ok(reader_masks_parse(NULL, sys, &used, &m));
	assert_int_equal(m.masks.len, 4);
	assert_int_equal(m.masks.data[3].read.data[0], 3);
	reader_masks_deinit(&m);
	assert_ok(reader_masks_parse("0-1/3:2,3,9/0", sys, &used, &m));
	assert_int_equal(m.masks.len, 2);
	assert_int_equal(m.masks.data[1].read.len, 2); /* CPU 9 is not recorded */
	assert_int_equal(m.masks.data[0].affinity.data[0], 3);
	reader_masks_deinit(&m);
	assert_refused(reader_masks_parse("0-1:1-3", sys, &used, &m)); /* CPU 1 twice */
	assert_refused(reader_masks_parse("0-2", sys, &used, &m));     /* CPU 3 unread */
	assert_refused(reader_masks_parse("0-1/0:2-3/0", sys, &used, &m));
	assert_refused(reader_masks_parse("9", sys, &used, &m));
	assert_refused(reader_masks_parse("crowd", sys, &used, &m));
	vec_deinit(&used);
	sys_faked_destroy(f);
}

static void control_lines(void **state)
{
	struct control_command c = control_parse("enable");
	assert_int_equal(c.verb, CONTROL_ENABLE);
	assert_string_equal(c.argument, "");
	c = control_parse("  disable   sched:sched_switch  ");
	assert_int_equal(c.verb, CONTROL_DISABLE);
	assert_string_equal(c.argument, "sched:sched_switch");
	assert_int_equal(control_parse("enabled").verb, CONTROL_UNKNOWN);
	assert_string_equal(control_parse("dance wildly").argument, "dance");
	assert_int_equal(control_parse("").verb, CONTROL_NONE);
}

static void control_through_a_pipe(void **state)
{
	int ctl[2], ack[2];
	struct control control;
	struct control_command c;
	bool end;
	char text[32];
	assert_int_equal(pipe(ctl), 0);
	assert_int_equal(pipe(ack), 0);
	snprintf(text, sizeof(text), "fd:%d,%d", ctl[0], ack[1]);
	assert_ok(control_open(text, &control));
	assert_false(control_next(&control, &c, &end));
	/* Two and a half commands at once. */
	assert_int_equal(write(ctl[1], "ping\nsnapshot\nst", 16), 16);
	assert_true(control_next(&control, &c, &end));
	assert_int_equal(c.verb, CONTROL_PING);
	assert_true(control_next(&control, &c, &end));
	assert_int_equal(c.verb, CONTROL_SNAPSHOT);
	assert_false(control_next(&control, &c, &end));
	assert_int_equal(write(ctl[1], "op", 2), 2);
	close(ctl[1]); /* the end of what is sent ends a line too */
	assert_true(control_next(&control, &c, &end));
	assert_int_equal(c.verb, CONTROL_STOP);
	assert_true(end);
	control_ack(&control);
	assert_int_equal(read(ack[0], text, 4), 4);
	assert_memory_equal(text, "ack\n", 4);
	control_close(&control);
	close(ctl[0]);
	close(ack[0]);
	close(ack[1]);
	assert_refused(control_open("fd:9999", &control));
	assert_refused(control_open("tcp:80", &control));
}

static void workloads(void **state)
{
	struct workload w;
	struct workload_options o = {};
	sigemptyset(&o.mask);
	char *good[] = { (char *)"sh", (char *)"-c", (char *)"exit 5", NULL };
	char *bad[] = { (char *)"/no/such/program", NULL };
	assert_ok(workload_fork(good, o, &w));
	assert_false(workload_reap(&w, false)); /* waits until it is started */
	assert_ok(workload_start(&w));
	assert_true(workload_reap(&w, true));
	assert_int_equal(WEXITSTATUS(w.status), 5);
	assert_ok(workload_fork(bad, o, &w));
	struct strobe_error *err = workload_start(&w);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err->message, "/no/such/program"));
	error_destroy(err);
	assert_true(w.reaped);
	/* Never started: it is gone without a trace. */
	assert_ok(workload_fork(good, o, &w));
	workload_end(&w);
	assert_true(w.reaped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_graphs),
		cmocka_unit_test(branch_filters),
		cmocka_unit_test(clocks_sizes_and_kinds),
		cmocka_unit_test(registers),
		cmocka_unit_test(delays),
		cmocka_unit_test(thread_masks),
		cmocka_unit_test(control_lines),
		cmocka_unit_test(control_through_a_pipe),
		cmocka_unit_test(workloads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
