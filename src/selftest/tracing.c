/* Tracepoints and probes against known numbers of calls. */
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/pmu.h"
#include "selftest/priv.h"

/* The raw data of each sample has the system call number, after the common fields. */
static struct selftest_outcome raw_data(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	uint64_t samples = 0, found = 0;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	if (!own_event_map(&e, 64, &outcome)) {
		own_event_close(&e);
		return outcome;
	}
	own_event_enable(&e, true);
	t->load(t->n);
	own_event_enable(&e, false);
	for (; own_event_next(&e, &s, NULL); samples++) {
		int64_t id = -1;
		if (s.raw_bytes >= 16)
			memcpy(&id, (const char *)s.raw + 8, sizeof(id));
		found += id == SYS_getppid;
	}
	own_event_close(&e);
	EXPECT(found == t->n && samples >= found, "%" PRIu64 " of %" PRIu64 " calls among %" PRIu64 " samples", found, t->n, samples);
	return selftest_ok();
}

/* The kernel's filter: other calls are left out. */
static struct selftest_outcome filtered(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	_cleanup_free_ char *filter = xasprintf("id == %d", SYS_getppid);
	int failed = sys_ioctl(sys_live(), e.fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)filter);
	own_event_enable(&e, true);
	t->load(t->n);
	load_sleeps(10);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	EXPECT(failed >= 0, "the filter is refused: %s", strerrordesc_np(-failed));
	EXPECT(counted == t->n, "%" PRIu64 " counted of %" PRIu64, counted, t->n);
	return selftest_ok();
}

/* The PMU named by the check; 0: not in this kernel. */
static uint32_t pmu_type(const struct selftest *t)
{
	struct pmu_set pmus;
	pmu_set_init(&pmus, sys_live());
	const struct pmu *pmu = pmu_find(&pmus, t->text, strlen(t->text));
	uint32_t type = pmu ? pmu->type : 0;
	pmu_set_deinit(&pmus);
	return type;
}

/* Probes a workload: as many hits as calls. */
static struct selftest_outcome count_hits(const struct selftest *t, struct perf_event_attr attr)
{
	struct own_event e;
	struct selftest_outcome outcome;
	attr.type = pmu_type(t);
	attr.size = PERF_ABI_ATTR_BYTES;
	attr.disabled = 1;
	if (!attr.type)
		return selftest_skip("the kernel has no PMU '%s'", t->text);
	if (!own_event_open_attr(&e, &attr, t->text, &outcome))
		return outcome;
	own_event_enable(&e, true);
	t->load(t->least);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	return selftest_in_range(t->text, counted, t->least, t->least);
}

/* n: 1 at the return. Probes our own function, without a definition in tracefs. */
static struct selftest_outcome uprobe(const struct selftest *t)
{
	_cleanup_free_ char *path = own_path();
	uint64_t offset = own_file_offset(own_hit);
	if (!path || !offset)
		return selftest_skip("the place of this program is not known");
	return count_hits(t, (struct perf_event_attr){ .config = t->n, .uprobe_path = (uintptr_t)path, .probe_offset = offset });
}

static struct selftest_outcome kprobe(const struct selftest *t)
{
	static const char function[] = "do_nanosleep";
	return count_hits(t, (struct perf_event_attr){ .kprobe_func = (uintptr_t)function });
}

#define S .subject = "tracing"

const struct selftest selftests_tracing[] = {
	{ "a system call is counted each time", S, selftest_count_load, "syscalls:sys_enter_getppid", load_calls, 1000, 1000, 1000 },
	{ "and its return", S, selftest_count_load, "syscalls:sys_exit_getppid", load_calls, 1000, 1000, 1000 },
	{ "all system calls are counted", S, selftest_count_load, "raw_syscalls:sys_enter", load_calls, 1000, 1000, 1010 },
	{ "a call's number is in its raw data", S, raw_data, "raw_syscalls:sys_enter", load_calls, 200 },
	{ "a filter leaves others out", S, filtered, "raw_syscalls:sys_enter", load_calls, 200 },
	{ "switches are counted", S, selftest_count_switches, "sched:sched_switch", load_sleeps, 20 },
	{ "new processes are counted", S, selftest_count_load, "sched:sched_process_fork", load_forks, 10, 10, 10 },
	{ "a probe of a function counts calls", S, uprobe, "uprobe", load_hits, .least = 1000 },
	{ "a probe at its return counts them, too", S, uprobe, "uprobe", load_hits, 1, 1000 },
	{ "a probe of a kernel function counts calls", S, kprobe, "kprobe", load_sleeps, .least = 20 },
	{},
};
