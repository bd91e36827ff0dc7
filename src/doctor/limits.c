/* Checks of limits: open files, locked memory, depth of stacks, clocks, control groups. */
#include "sys/limits.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "doctor/priv.h"
#include "sys/cgroups.h"
#include "sys/cpus.h"

static struct finding open_files(struct doctor *d)
{
	struct rlimit limit;
	sys_cpus cpus = {};
	_cleanup_error_ struct strobe_error *err = sys_cpus_online(d->sys, &cpus);
	uint64_t cpus_nr = err || !cpus.len ? 1 : cpus.len;
	vec_deinit(&cpus);
	if (getrlimit(RLIMIT_NOFILE, &limit))
		limit.rlim_max = 1024;
	uint64_t events = limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max / cpus_nr;
	if (d->is_root || events >= 400)
		return finding_ok(d->is_root ? "as many as events need"
					     : arena_printf(&d->arena, "enough for %" PRIu64 " events on each CPU", events));
	return (struct finding){ FINDING_PARTLY, arena_printf(&d->arena, "enough for %" PRIu64 " events on each CPU", events),
				 "all system calls' tracepoints at once (-e 'syscalls:*')", "ulimit -Hn 65536, in the shell of root" };
}

static struct finding locked_memory(struct doctor *d)
{
	uint64_t kb = sys_perf_event_mlock_kb(d->sys);
	if (d->is_perfmon || sys_memlock_bytes() == UINT64_MAX)
		return finding_ok("buffers as large as -m requests");
	return (struct finding){ FINDING_PARTLY,
				 arena_printf(&d->arena, "buffers of %" PRIu64 " KiB for each CPU, and RLIMIT_MEMLOCK beyond", kb),
				 "larger buffers (-m), which lose less at high rates", "sysctl kernel.perf_event_mlock_kb=8192" };
}

static struct finding stack_depth(struct doctor *d)
{
	unsigned frames = sys_perf_event_max_stack(d->sys);
	const char *found = arena_printf(&d->arena, "%u frames with --call-graph fp; eh is not limited by it", frames);
	if (frames >= 127)
		return finding_ok(found);
	return (struct finding){ FINDING_PARTLY, found, "the outer frames of deep stacks", "sysctl kernel.perf_event_max_stack=127" };
}

static struct finding clock_source(struct doctor *d)
{
	static const char *const quick[] = { "tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource",
					     "tod" };
	_cleanup_free_ char *name = NULL;
	_cleanup_error_ struct strobe_error *err =
		sys_read_line(d->sys, "/sys/devices/system/clocksource/clocksource0/current_clocksource", &name);
	const char *found = err ? "not known" : arena_strdup(&d->arena, name);
	for (size_t i = 0; i < sizeof(quick) / sizeof(*quick); i++)
		if (!err && !strcmp(name, quick[i]))
			return finding_ok(found);
	return (struct finding){ err ? FINDING_OK : FINDING_PARTLY, found,
				 err ? NULL : "time: reading this clock is slow, in programs and in samples",
				 err ? NULL : "boot with clocksource=tsc, where the processor's is stable" };
}

static struct finding cgroups(struct doctor *d)
{
	unsigned version;
	_cleanup_free_ char *root = sys_cgroup_perf_root(d->sys, &version);
	if (root)
		return finding_ok(version == 2 ? "version 2" : "version 1, with perf_event");
	return (struct finding){ FINDING_MISSING, "not mounted", "-G, --for-each-cgroup, sums by cgroup",
				 "mount -t cgroup2 cgroup2 /sys/fs/cgroup" };
}

const struct check checks_limits[] = {
	{ "open-files", "open files", open_files },        { "locked-memory", "memory for buffers", locked_memory },
	{ "stack-depth", "depth of stacks", stack_depth }, { "clock", "clock", clock_source },
	{ "cgroups", "control groups", cgroups },          {},
};
