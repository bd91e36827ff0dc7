#include "event/open.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/limits.h"

static int try_open(const struct sys *sys, const struct event *e, pid_t pid, int cpu, bool user_only)
{
	struct perf_event_attr attr = e->attr;
	attr.disabled = 1;
	attr.sample_freq = 100; /* below every limit; the kernel checks sampling events more than counting ones */
	attr.freq = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (user_only)
		attr.exclude_kernel = 1;
	int fd = sys_perf_event_open(sys, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -fd : 0;
}

static const struct {
	const char *name, *user_name;
	uint32_t type;
	uint64_t config;
	unsigned precise_ip;
} steps[] = {
	[EVENT_DEFAULT_CYCLES_PPP] = { "cycles:ppp", "cycles:pppu", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 3 },
	[EVENT_DEFAULT_CYCLES_PP] = { "cycles:pp", "cycles:ppu", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2 },
	[EVENT_DEFAULT_CYCLES_P] = { "cycles:p", "cycles:pu", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1 },
	[EVENT_DEFAULT_CYCLES] = { "cycles", "cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	[EVENT_DEFAULT_CPU_CLOCK] = { "cpu-clock", "cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0 },
};

struct strobe_error *event_default(struct event_list *list, const struct sys *sys, pid_t pid, int cpu,
				   struct event_default *ret)
{
	struct event_default taken = { 0 };
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct event e = {};
		event_attr_defaults(&e.attr);
		e.attr.type = steps[i].type;
		e.attr.config = steps[i].config;
		e.attr.precise_ip = steps[i].precise_ip;
		bool user_only = false;
		int errnum = try_open(sys, &e, pid, cpu, false);
		if (errnum == EACCES || errnum == EPERM) {
			user_only = true;
			errnum = try_open(sys, &e, pid, cpu, true);
		}
		if (errnum) {
			taken.errnum = errnum;
			continue;
		}
		taken.step = (enum event_default_step)i;
		taken.user_only = user_only;
		struct event *added =
			event_list_add(list, steps[i].type == PERF_TYPE_HARDWARE ? EVENT_HARDWARE : EVENT_SOFTWARE,
				       steps[i].type, steps[i].config, user_only ? steps[i].user_name : steps[i].name);
		added->attr.precise_ip = steps[i].precise_ip;
		added->attr.exclude_kernel = added->attr.exclude_hv = user_only;
		*ret = taken;
		return NULL;
	}
	struct event last = { .kind = EVENT_SOFTWARE, .name = "cpu-clock" };
	event_attr_defaults(&last.attr);
	last.attr.type = PERF_TYPE_SOFTWARE;
	last.attr.exclude_kernel = 1;
	return event_open_error(&last, taken.errnum, sys, pid, cpu);
}

/* The maximum value of perf_event_paranoid that permits an unprivileged user to open this. */
static int paranoid_needed(const struct event *e, pid_t pid, int cpu)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT && (e->attr.sample_type & PERF_SAMPLE_RAW) && e->attr.sample_period)
		return -1;
	if (pid == -1 || cpu >= 0)
		return pid == -1 ? 0 : e->attr.exclude_kernel ? 2 : 1;
	return e->attr.exclude_kernel ? 2 : 1;
}

static struct strobe_error *no_right(const struct event *e, int errnum, const struct sys *sys, pid_t pid, int cpu)
{
	int paranoid = sys_perf_event_paranoid(sys), needed = paranoid_needed(e, pid, cpu);
	const char *what = pid == -1 ? "all processes of a CPU" : !e->attr.exclude_kernel ? "the kernel" : "this task";
	if (sys_is_perfmon(sys)) {
		if (sys_lockdown(sys) == SYS_LOCKDOWN_CONFIDENTIALITY)
			return error_create(ERROR_PERMISSION,
					    "cannot open '%s': the kernel is locked down (confidentiality, see "
					    "/sys/kernel/security/lockdown), even for root",
					    e->name);
		if (sys_has_seccomp(sys))
			return error_create(ERROR_PERMISSION,
					    "cannot open '%s': perf_event_open is forbidden by the seccomp filter "
					    "of this container; allow it in the container's profile",
					    e->name);
		return error_create(ERROR_PERMISSION,
				    "cannot open '%s': %s, in spite of CAP_PERFMON or CAP_SYS_ADMIN: a "
				    "security module (SELinux) or the host forbids it",
				    e->name, strerrordesc_np(errnum));
	}
	if (sys_has_seccomp(sys) && paranoid <= needed)
		return error_create(ERROR_PERMISSION,
				    "cannot open '%s': perf_event_open is forbidden, most likely by the seccomp "
				    "filter of this container; allow it in the container's profile",
				    e->name);
	if (paranoid > 2)
		return error_create(ERROR_PERMISSION,
				    "cannot open '%s': kernel.perf_event_paranoid is %d, which forbids all of it "
				    "without CAP_PERFMON; run as root, or: sysctl kernel.perf_event_paranoid=%d",
				    e->name, paranoid, needed);
	if (paranoid > needed) {
		bool user_helps = pid != -1 && !e->attr.exclude_kernel && paranoid <= 2 && needed != -1;
		return error_create(ERROR_PERMISSION,
				    "cannot open '%s' for %s: kernel.perf_event_paranoid is %d and CAP_PERFMON "
				    "is missing; run as root%s, or: sysctl kernel.perf_event_paranoid=%d",
				    e->name, needed == -1 ? "sampling a tracepoint" : what, paranoid,
				    user_helps ? ", count user space only (:u)" : "", needed);
	}
	if (pid > 0)
		return error_create(ERROR_PERMISSION,
				    "cannot open '%s' for process %d: it belongs to another user or has gained "
				    "rights; run as root or with CAP_PERFMON or CAP_SYS_PTRACE",
				    e->name, (int)pid);
	return error_create(ERROR_PERMISSION, "cannot open '%s': %s; run as root or with CAP_PERFMON", e->name,
			    strerrordesc_np(errnum));
}

static bool is_hardware(const struct event *e)
{
	return e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_HW_CACHE ||
	       e->attr.type == PERF_TYPE_RAW;
}

static bool has_hardware_counters(const struct sys *sys)
{
	static const char *const places[] = { "cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3" };
	bool ret = false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		_cleanup_free_ char *path = xasprintf("/sys/bus/event_source/devices/%s", places[i]);
		ret |= sys_exists(sys, path);
	}
	return ret;
}

static struct strobe_error *not_supported(const struct event *e, const struct sys *sys)
{
	if (is_hardware(e) && !has_hardware_counters(sys))
		return error_create(ERROR_UNSUPPORTED,
				    "'%s' is not supported: this machine has no hardware counters (a virtual machine without a "
				    "PMU?); use cpu-clock to sample by time",
				    e->name);
	return error_create(ERROR_UNSUPPORTED, "'%s' is not supported by this CPU or kernel", e->name);
}

static struct strobe_error *wrong_for_pmu(const struct event *e, const struct sys *sys)
{
	const struct perf_event_attr *a = &e->attr;
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK && !has_hardware_counters(sys))
		return error_create(ERROR_UNSUPPORTED,
				    "'%s' cannot record branch stacks (-b, -j, lbr): they come from hardware counters, which this "
				    "machine does not have (a virtual machine without a PMU?)",
				    e->name);
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s' cannot record branch stacks (-b, -j, lbr): its PMU does not have them",
				    e->name);
	if (a->aux_output)
		return error_create(ERROR_UNSUPPORTED, "'%s' cannot write to an AUX area (aux-output)", e->name);
	if (a->precise_ip)
		return error_create(ERROR_UNSUPPORTED, "'%s' does not support this precision (%u × p); use fewer p",
				    e->name, (unsigned)a->precise_ip);
	if (a->sample_period)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s' cannot be sampled, its PMU has no interrupt; count it with stat", e->name);
	return error_create(ERROR_UNSUPPORTED, "'%s' is not supported by its PMU with these attributes", e->name);
}

static struct strobe_error *invalid(const struct event *e, const struct sys *sys)
{
	const struct perf_event_attr *a = &e->attr;
	uint64_t max_rate = sys_perf_event_max_sample_rate(sys);
	if (a->freq && a->sample_freq > max_rate)
		return error_create(ERROR_LIMIT,
				    "'%s': a frequency of %" PRIu64 " is above kernel.perf_event_max_sample_rate, "
				    "which is %" PRIu64 "; use a lower -F, or raise it with sysctl",
				    e->name, (uint64_t)a->sample_freq, max_rate);
	if (a->type == PERF_TYPE_BREAKPOINT)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s': the CPU has no such breakpoint; lengths are 1, 2, 4 and 8 bytes, the "
				    "address a multiple of it, x alone with 8, r not without w on x86",
				    e->name);
	if (e->uncore && a->sample_period)
		return error_create(ERROR_UNSUPPORTED, "'%s' counts a whole socket and cannot be sampled; use stat -a",
				    e->name);
	if (e->uncore)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s' counts a whole socket, not a task: use -a and no modifiers like :u", e->name);
	if (a->write_backward)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s': the kernel refuses it with an overwritten ring (--overwrite)", e->name);
	if (a->use_clockid)
		return error_create(ERROR_UNSUPPORTED, "'%s': the kernel refuses clock %d (-k)", e->name,
				    (int)a->clockid);
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return error_create(ERROR_UNSUPPORTED, "'%s': the kernel refuses it with this choice of branches (-j)",
				    e->name);
	if (e->kind == EVENT_PMU)
		return error_create(ERROR_UNSUPPORTED,
				    "'%s': the PMU '%s' refuses this combination of terms and modifiers", e->name,
				    e->pmu);
	return error_create(ERROR_UNSUPPORTED,
			    "'%s': the kernel refuses this combination of attributes (-vv shows them); an older "
			    "kernel may lack one, and a group cannot mix PMUs",
			    e->name);
}

/* The sentence for an exhausted resource. */
static struct strobe_error *over_limit(const struct event *e, int errnum, const struct sys *sys)
{
	const struct perf_event_attr *a = &e->attr;
	switch (errnum) {
	case EMFILE:
		return error_create(ERROR_LIMIT,
				    "cannot open '%s': too many open files for this process (%" PRIu64 " allowed); raise it with "
				    "ulimit -n, or name fewer events, CPUs or threads",
				    e->name, sys_raise_nofile(0));
	case ENOSPC:
		return error_create(ERROR_LIMIT, "cannot open '%s': %s", e->name,
				    a->type == PERF_TYPE_BREAKPOINT ? "all breakpoint registers of the CPU are taken" :
								      "the PMU has no room for it");
	case ENOMEM:
		return error_create(ERROR_LIMIT,
				    "cannot open '%s': the kernel has not enough memory (its buffers for call chains grow with "
				    "kernel.perf_event_max_stack, which is %u)",
				    e->name, sys_perf_event_max_stack(sys));
	default: /* EOVERFLOW */
		return error_create(ERROR_LIMIT,
				    "cannot open '%s': max-stack %u is above kernel.perf_event_max_stack, which is %u; raise it "
				    "with sysctl",
				    e->name, (unsigned)a->sample_max_stack, sys_perf_event_max_stack(sys));
	}
}

/* Reasons that do not depend on the event. */
static struct strobe_error *plain_reason(const struct event *e, int errnum)
{
	static const struct {
		int errnum;
		enum error_code code;
		const char *why;
	} reasons[] = {
		{ ENOSYS, ERROR_UNSUPPORTED, "this kernel has no perf_event_open (CONFIG_PERF_EVENTS), or a container forbids it" },
		{ ENFILE, ERROR_LIMIT, "too many open files in the system (sysctl fs.file-max)" },
		{ EBUSY, ERROR_UNSUPPORTED,
		  "the counter is in use (by another profiler or the NMI watchdog: sysctl kernel.nmi_watchdog=0)" },
		{ E2BIG, ERROR_UNSUPPORTED, "it requires a field that this kernel does not support" },
	};
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].errnum == errnum)
			return error_create(reasons[i].code, "cannot open '%s': %s", e->name, reasons[i].why);
	return NULL;
}

static struct strobe_error *open_error(const struct event *e, int errnum, const struct sys *sys, pid_t pid, int cpu)
{
	switch (errnum) {
	case EPERM:
	case EACCES:
		return no_right(e, errnum, sys, pid, cpu);
	case ENOENT:
		return not_supported(e, sys);
	case EOPNOTSUPP:
		return wrong_for_pmu(e, sys);
	case ENODEV:
		if (cpu < 0 || is_hardware(e))
			return not_supported(e, sys);
		return error_create(ERROR_UNSUPPORTED, "cannot open '%s' on CPU %d: it is offline", e->name, cpu);
	case EINVAL:
		return invalid(e, sys);
	case EMFILE:
	case ENOSPC:
	case ENOMEM:
	case EOVERFLOW:
		return over_limit(e, errnum, sys);
	case ESRCH:
		return error_create(ERROR_NOT_FOUND, "cannot open '%s': process %d does not exist", e->name, (int)pid);
	default:
		return plain_reason(e, errnum);
	}
}

/* The check of `strobe doctor` for the cause; NULL: the event itself is wrong. */
static const char *check_of(const struct event *e, int errnum, const struct sys *sys)
{
	const struct perf_event_attr *a = &e->attr;
	switch (errnum) {
	case EPERM:
	case EACCES:
		return sys_lockdown(sys) == SYS_LOCKDOWN_CONFIDENTIALITY ? "lockdown" : "perf-events rights";
	case ENOSYS:
		return "perf-events";
	case ENOENT:
	case ENODEV:
		return is_hardware(e) ? "hardware-counters" : NULL;
	case EOPNOTSUPP:
		return a->sample_type & PERF_SAMPLE_BRANCH_STACK ? "branch-stacks" : a->precise_ip ? "precise-events" : NULL;
	case EINVAL:
		return a->freq && a->sample_freq > sys_perf_event_max_sample_rate(sys) ? "sample-rate" : NULL;
	case EBUSY:
		return "nmi-watchdog";
	case EMFILE:
		return "open-files";
	case EOVERFLOW:
		return "stack-depth";
	default:
		return NULL;
	}
}

struct strobe_error *event_open_error(const struct event *e, int errnum, const struct sys *sys, pid_t pid, int cpu)
{
	struct strobe_error *err = open_error(e, errnum, sys, pid, cpu);
	if (!err)
		err = error_errno(errnum, "cannot open '%s' (perf_event_open)", e->name);
	err->errnum = errnum;
	err->exit_status = EVENT_OPEN_STATUS;
	err->check = check_of(e, errnum, sys);
	return err;
}
