/* Counters against workloads of known size. */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest/priv.h"
#include "sys/limits.h"

static struct selftest_outcome migrations(const struct selftest *t)
{
	cpu_set_t all;
	if (!sched_getaffinity(0, sizeof(all), &all) && CPU_COUNT(&all) < 2)
		return selftest_skip("one CPU");
	return selftest_count_load(t);
}

/* The clock of the event against that of the thread. */
static struct selftest_outcome cpu_time(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	uint64_t outer_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID), wall_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
	own_event_enable(&e, true);
	uint64_t inner_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID);
	t->load(t->n);
	inner_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID) - inner_ns;
	own_event_enable(&e, false);
	outer_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID) - outer_ns;
	wall_ns = sys_clock_ns(sys_live(), CLOCK_MONOTONIC) - wall_ns;
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	/* Steal time of a virtual machine is in only one of the clocks. */
	return selftest_in_range(t->text, counted, inner_ns - inner_ns / 5, (wall_ns > outer_ns ? wall_ns : outer_ns) + outer_ns / 5);
}

static struct selftest_outcome not_before_enabled(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	t->load(t->n);
	uint64_t before = own_event_count(&e);
	own_event_enable(&e, true);
	t->load(t->n);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	t->load(t->n);
	uint64_t after = own_event_count(&e);
	sys_ioctl(sys_live(), e.fd, PERF_EVENT_IOC_RESET, 0);
	uint64_t reset = own_event_count(&e);
	own_event_close(&e);
	EXPECT(!before && counted == after && !reset, "%" PRIu64 " before, %" PRIu64 " and %" PRIu64 " after, %" PRIu64 " when reset",
	       before, counted, after, reset);
	return selftest_in_range(t->text, counted, t->least, t->most);
}

static void inherited(struct perf_event_attr *attr)
{
	attr->inherit = 1;
}

static struct selftest_outcome children(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, inherited, &outcome))
		return outcome;
	own_event_enable(&e, true);
	pid_t pid = fork();
	if (!pid) {
		t->load(t->n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	return selftest_in_range(t->text, counted, t->least, t->most);
}

static void as_group(struct perf_event_attr *attr)
{
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* Two members of one group are read at the same time, and software events are never multiplexed. */
static struct selftest_outcome group(const struct selftest *t)
{
	struct own_event leader;
	struct selftest_outcome outcome;
	uint64_t words[5] = { 0 }; /* nr, enabled, running, values */
	if (!own_event_open(&leader, t->text, as_group, &outcome))
		return outcome;
	struct perf_event_attr attr = leader.attr;
	attr.disabled = 0;
	int member = sys_perf_event_open(sys_live(), &attr, 0, -1, leader.fd, PERF_FLAG_FD_CLOEXEC);
	own_event_enable(&leader, true);
	t->load(t->n);
	own_event_enable(&leader, false);
	ssize_t n = read(leader.fd, words, sizeof(words));
	if (member >= 0)
		close(member);
	own_event_close(&leader);
	EXPECT(member >= 0, "a member cannot be opened: %s", strerrordesc_np(-member));
	EXPECT(n == sizeof(words) && words[0] == 2, "%zd bytes, %" PRIu64 " values read", n, words[0]);
	EXPECT(words[3] == words[4], "%" PRIu64 " and %" PRIu64 " of one event", words[3], words[4]);
	EXPECT(words[1] == words[2], "enabled for %" PRIu64 " ns, running for %" PRIu64, words[1], words[2]);
	return selftest_in_range(t->text, words[3], t->least, t->most);
}

/* n: the access type, HW_BREAKPOINT_*. */
static struct selftest_outcome breakpoint(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	bool is_code = t->n == HW_BREAKPOINT_X;
	struct perf_event_attr attr = {
		.size = PERF_ABI_ATTR_BYTES,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = (uint32_t)t->n,
		.disabled = 1,
		.exclude_kernel = 1,
		.bp_addr = is_code ? (uintptr_t)own_hit : (uintptr_t)own_hits(),
		.bp_len = is_code ? sizeof(long) : HW_BREAKPOINT_LEN_8,
		.sample_period = 1, /* some hypervisors do not trigger a breakpoint that only counts */
	};
	if (!own_event_open_attr(&e, &attr, "a breakpoint", &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_hits(100);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	return selftest_in_range("breakpoint", counted, t->least, t->most);
}

#define S   .subject = "counting"
#define ANY UINT64_MAX

const struct selftest selftests_counting[] = {
	{ "cpu-clock counts CPU time", S, cpu_time, "cpu-clock:u", load_spin_us, 20000 },
	{ "task-clock counts CPU time", S, cpu_time, "task-clock:u", load_spin_us, 20000 },
	{ "page-faults counts pages", S, selftest_count_load, "page-faults:u", load_pages, 100, 100, 110 },
	{ "minor-faults counts pages", S, selftest_count_load, "minor-faults:u", load_pages, 100, 100, 110 },
	{ "major-faults counts none of fresh pages", S, selftest_count_load, "major-faults:u", load_pages, 100, 0, 5 },
	{ "context-switches counts sleeps", S, selftest_count_switches, "context-switches", load_sleeps, 20 },
	{ "cpu-migrations counts moves", S, migrations, "cpu-migrations", load_migrations, 10, 10, 40 },
	{ "dummy counts nothing", S, selftest_count_load, "dummy:u", load_pages, 10, 0, 0 },
	{ "bpf-output opens", S, selftest_count_load, "bpf-output:u", load_pages, 1, 0, 0 },
	{ "alignment-faults opens", S, selftest_count_load, "alignment-faults:u", load_pages, 1, 0, ANY },
	{ "emulation-faults opens", S, selftest_count_load, "emulation-faults:u", load_pages, 1, 0, ANY },
	{ "cgroup-switches opens", S, selftest_count_load, "cgroup-switches:u", load_sleeps, 1, 0, ANY },
	{ "cycles counts", S, selftest_count_load, "cycles:u", load_loop, 1000000, 100000, ANY },
	{ "instructions counts a loop", S, selftest_count_load, "instructions:u", load_loop, 1000000, 2000000, 20000000 },
	{ "branches counts a loop", S, selftest_count_load, "branches:u", load_loop, 1000000, 1000000, 4000000 },
	{ "branch-misses counts", S, selftest_count_load, "branch-misses:u", load_loop, 1000000, 0, 100000 },
	{ "cache-references counts", S, selftest_count_load, "cache-references:u", load_pages, 1000, 1, ANY },
	{ "cache-misses counts", S, selftest_count_load, "cache-misses:u", load_pages, 1000, 0, ANY },
	{ "ref-cycles counts", S, selftest_count_load, "ref-cycles:u", load_loop, 1000000, 10000, ANY },
	{ "L1-dcache-loads counts", S, selftest_count_load, "L1-dcache-loads:u", load_pages, 1000, 1000, ANY },
	{ "dTLB-loads counts", S, selftest_count_load, "dTLB-loads:u", load_pages, 1000, 1, ANY },
	{ "a disabled event does not count", S, not_before_enabled, "page-faults:u", load_pages, 50, 50, 60 },
	{ "children are counted with their parent", S, children, "page-faults:u", load_pages, 100, 100, 400 },
	{ "a group is read at one moment", S, group, "page-faults:u", load_pages, 50, 50, 60 },
	{ "a breakpoint counts writes", S, breakpoint, .n = HW_BREAKPOINT_W, .least = 100, .most = 100 },
	{ "a breakpoint counts accesses", S, breakpoint, .n = HW_BREAKPOINT_RW, .least = 100, .most = 200 },
	{ "a breakpoint counts calls", S, breakpoint, .n = HW_BREAKPOINT_X, .least = 100, .most = 100 },
	{},
};
