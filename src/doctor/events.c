/* Checks of perf_event_open(2): counters, samples, and permissions for them. */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <unistd.h>

#include "doctor/priv.h"
#include "sys/limits.h"

#define RIGHTS    "run as root, or: setcap cap_perfmon,cap_bpf,cap_sys_ptrace,cap_dac_read_search+ep \"$(command -v strobe)\""
#define SAME_PMU  "as for hardware-counters"
#define PMU_OF_VM "start the virtual machine with a PMU (QEMU and KVM: -cpu host; VMware: vpmc.enable; clouds: whole machines)"

static const struct perf_event_attr cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.exclude_guest = 1,
};
static const struct perf_event_attr cpu_clock = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.exclude_kernel = 1,
	.sample_freq = 99,
	.freq = 1,
	.sample_type = PERF_SAMPLE_IP,
};

static struct finding perf_events(struct doctor *d)
{
	int errnum = doctor_try_event(d, cpu_clock, 0, -1);
	if (!errnum)
		return finding_ok("programs of this user can be sampled and counted");
	bool is_filtered = sys_has_seccomp(d->sys);
	const char *remedy = errnum == ENOSYS && !is_filtered ? "a kernel with CONFIG_PERF_EVENTS"
			     : is_filtered                    ? "allow perf_event_open in the seccomp profile of this container"
							      : RIGHTS;
	return (struct finding){ FINDING_MISSING, arena_printf(&d->arena, "perf_event_open fails: %s", strerrordesc_np(errnum)),
				 "record, stat and top do not work", remedy };
}

static struct finding rights(struct doctor *d)
{
	static const char *const losses[] = {
		[0] = "raw data of tracepoints (-e SYSTEM:NAME)",
		[1] = "whole CPUs and other users' processes (-a, -C)",
		[2] = "samples in the kernel, and whole CPUs (-a, -C)",
	};
	int paranoid = sys_perf_event_paranoid(d->sys);
	if (d->is_perfmon)
		return finding_ok("all processes, whole CPUs and the kernel");
	if (paranoid < 0)
		return finding_ok("all processes, whole CPUs and the kernel (kernel.perf_event_paranoid is -1)");
	return (struct finding){ paranoid > 2 ? FINDING_MISSING : FINDING_PARTLY,
				 arena_printf(&d->arena, "kernel.perf_event_paranoid is %d, and CAP_PERFMON is missing", paranoid),
				 paranoid > 2 ? "everything but what root runs" : losses[paranoid],
				 RIGHTS "; for all users: sysctl kernel.perf_event_paranoid=-1" };
}

/* The maximum number of instances of an event in one group: the number of its counters, minus those in use. */
static unsigned counters_at_once(const struct doctor *d)
{
	int fds[32];
	unsigned n = 0;
	for (; n < 32; n++) {
		struct perf_event_attr attr = cycles;
		attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
		attr.size = PERF_ABI_ATTR_BYTES;
		attr.disabled = !n;
		fds[n] = sys_perf_event_open(d->sys, &attr, 0, -1, n ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[n] < 0)
			break;
	}
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	return n;
}

static struct finding hardware_counters(struct doctor *d)
{
	int errnum = doctor_try_event(d, cycles, 0, -1);
	if (!errnum)
		return finding_ok(arena_printf(&d->arena, "cycles, instructions, caches, branches; %u programmable counters at once",
					       counters_at_once(d)));
	if (errnum == EACCES || errnum == EPERM)
		return (struct finding){ FINDING_MISSING, "may not be opened by this user", "counts of the processor", RIGHTS };
	return (struct finding){ FINDING_MISSING, d->is_virtual ? "none: a virtual machine without a PMU" : "none",
				 "cycles, instructions, caches and branches; record samples by time instead (cpu-clock)",
				 d->is_virtual ? PMU_OF_VM : "a kernel with a driver for this processor's PMU" };
}

static struct finding precise(struct doctor *d)
{
	for (unsigned level = 3; level; level--) {
		struct perf_event_attr attr = cycles;
		attr.precise_ip = level & 3;
		attr.sample_period = 1000000;
		attr.sample_type = PERF_SAMPLE_IP;
		if (!doctor_try_event(d, attr, 0, -1))
			return finding_ok(arena_printf(&d->arena, "cycles:%.*s", (int)level, "ppp"));
	}
	return (struct finding){ FINDING_MISSING, "no event names the instruction that caused it",
				 "in annotate, samples are attributed to instructions after their cause",
				 d->is_virtual ? SAME_PMU : "a processor with PEBS, IBS or SPE" };
}

static struct finding branches(struct doctor *d)
{
	struct perf_event_attr attr = cycles;
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	if (!doctor_try_event(d, attr, 0, -1))
		return finding_ok("taken branches are recorded (LBR, BRS or BRBE)");
	return (struct finding){ FINDING_MISSING, "none", "-b, -j, --call-graph lbr, cycles of basic blocks",
				 d->is_virtual ? SAME_PMU : "a processor that records branches" };
}

static struct finding memory(struct doctor *d)
{
	static const struct {
		const char *path, *found;
	} sources[] = {
		{ "/sys/bus/event_source/devices/cpu/events/mem-loads", "loads by latency, and stores (PEBS)" },
		{ "/sys/bus/event_source/devices/cpu_core/events/mem-loads", "loads by latency, and stores (PEBS)" },
		{ "/sys/bus/event_source/devices/ibs_op", "operations with their addresses (IBS)" },
		{ "/sys/bus/event_source/devices/arm_spe_0", "operations with their addresses (SPE)" },
	};
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (sys_exists(d->sys, sources[i].path))
			return finding_ok(sources[i].found);
	return (struct finding){ FINDING_MISSING, "none", "samples of memory accesses, with address, cache level and latency",
				 d->is_virtual ? SAME_PMU : "a processor with PEBS, IBS or SPE" };
}

static struct finding breakpoints(struct doctor *d)
{
	int watched = 0;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_kernel = 1,
	};
	int errnum = doctor_try_event(d, attr, 0, -1);
	if (!errnum)
		return finding_ok("accesses of an address can be counted (-e mem:ADDR)");
	return (struct finding){ FINDING_MISSING, strerrordesc_np(errnum), "-e mem:ADDR",
				 errnum == ENOSPC ? "end the debugger that has the breakpoint registers"
						  : "a processor with breakpoint registers" };
}

static struct finding power(struct doctor *d)
{
	if (sys_exists(d->sys, "/sys/bus/event_source/devices/power"))
		return finding_ok("energy of the package can be counted (power/…/)");
	return (struct finding){ FINDING_MISSING, "none", "energy in stat (power/energy-pkg/)",
				 d->is_virtual ? "run on the host: a virtual machine has none"
					       : "a processor with RAPL, and its driver" };
}

static struct finding sample_rate(struct doctor *d)
{
	uint64_t hz = sys_perf_event_max_sample_rate(d->sys);
	const char *found = arena_printf(&d->arena, "up to %" PRIu64 " samples a second on each CPU", hz);
	if (hz >= 4000)
		return finding_ok(found);
	return (struct finding){ FINDING_PARTLY, found,
				 "record's 4000 samples a second: the kernel lowered its limit, as interrupts took long",
				 "sysctl kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0" };
}

static struct finding watchdog(struct doctor *d)
{
	if (doctor_sysctl(d, "kernel/nmi_watchdog") <= 0)
		return finding_ok("takes no counter");
	return (struct finding){ FINDING_PARTLY, "takes one counter of each CPU", "one event fewer at once before they take turns",
				 "sysctl kernel.nmi_watchdog=0" };
}

const struct check checks_events[] = {
	{ "perf-events", "perf_event_open", perf_events },
	{ "rights", "what this user may observe", rights },
	{ "hardware-counters", "counters of the processor", hardware_counters },
	{ "precise-events", "precise samples", precise },
	{ "branch-stacks", "stacks of branches", branches },
	{ "memory-events", "samples of memory accesses", memory },
	{ "breakpoints", "breakpoints as events", breakpoints },
	{ "energy", "energy", power },
	{ "sample-rate", "rate of samples", sample_rate },
	{ "nmi-watchdog", "NMI watchdog", watchdog },
	{},
};
