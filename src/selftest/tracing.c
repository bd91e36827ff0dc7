/* Tracepoints and probes against calls of known number. */
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/pmu.h"
#include "selftest/priv.h"

/* The call's number is in the raw data of each sample, after the fields that all tracepoints have. */
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

/* n: 1 at the return. A probe of our own function, without a definition in tracefs. */
static struct selftest_outcome uprobe(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct pmu_set pmus;
	_cleanup_free_ char *path = own_path();
	uint64_t offset = own_file_offset(own_hit);
	pmu_set_init(&pmus, sys_live());
	const struct pmu *pmu = pmu_find(&pmus, t->text, strlen(t->text));
	struct perf_event_attr attr = {
		.size = PERF_ABI_ATTR_BYTES, .type = pmu ? pmu->type : 0, .config = t->n, .disabled = 1,
		.uprobe_path = (uintptr_t)path, .probe_offset = offset,
	};
	pmu_set_deinit(&pmus);
	if (!pmu || !path || !offset)
		return selftest_skip("the kernel has no PMU '%s'", t->text);
	if (!own_event_open_attr(&e, &attr, t->text, &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_hits(1000);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	EXPECT(counted == 1000, "%" PRIu64 " counted of 1000 calls", counted);
	return selftest_ok();
}

static struct selftest_outcome kprobe(const struct selftest *t)
{
	static const char function[] = "do_nanosleep";
	struct own_event e;
	struct selftest_outcome outcome;
	struct pmu_set pmus;
	pmu_set_init(&pmus, sys_live());
	const struct pmu *pmu = pmu_find(&pmus, t->text, strlen(t->text));
	struct perf_event_attr attr = {
		.size = PERF_ABI_ATTR_BYTES, .type = pmu ? pmu->type : 0, .config = t->n, .disabled = 1, .kprobe_func = (uintptr_t)function,
	};
	pmu_set_deinit(&pmus);
	if (!pmu)
		return selftest_skip("the kernel has no PMU '%s'", t->text);
	if (!own_event_open_attr(&e, &attr, t->text, &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_sleeps(20);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	EXPECT(counted == 20, "%" PRIu64 " counted of 20 sleeps", counted);
	return selftest_ok();
}

#define S .subject = "tracing"

const struct selftest selftests_tracing[] = {
	{ "a system call is counted each time", S, selftest_count_load, "syscalls:sys_enter_getppid", load_calls, 1000, 1000, 1000 },
	{ "and its return", S, selftest_count_load, "syscalls:sys_exit_getppid", load_calls, 1000, 1000, 1000 },
	{ "all system calls are counted", S, selftest_count_load, "raw_syscalls:sys_enter", load_calls, 1000, 1000, 1010 },
	{ "a call's number is in its raw data", S, raw_data, "raw_syscalls:sys_enter", load_calls, 200 },
	{ "a filter leaves others out", S, filtered, "raw_syscalls:sys_enter", load_calls, 200 },
	{ "switches are counted", S, selftest_count_load, "sched:sched_switch", load_sleeps, 20, 20, 200 },
	{ "new processes are counted", S, selftest_count_load, "sched:sched_process_fork", load_forks, 10, 10, 10 },
	{ "a probe of a function counts calls", S, uprobe, "uprobe" },
	{ "a probe at its return counts them, too", S, uprobe, "uprobe", .n = 1 },
	{ "a probe of a kernel function counts calls", S, kprobe, "kprobe" },
	{},
};
