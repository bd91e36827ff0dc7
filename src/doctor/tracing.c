/* Checks of tracing of the kernel and of programs: tracefs, tracepoints, probes, statistics of the scheduler. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "doctor/priv.h"
#include "sys/limits.h"
#include "sys/tracefs.h"

#define AS_ROOT "run as root, or permit this user to read tracefs: mount -o remount,mode=755 /sys/kernel/tracing"

static struct finding tracefs(struct doctor *d)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(d->sys, &path);
	if (!err)
		return finding_ok(arena_printf(&d->arena, "at %s", path));
	return (struct finding){ FINDING_MISSING, arena_strdup(&d->arena, err->message), "tracepoints, trace, sched, lock and probe",
				 err->code == ERROR_PERMISSION ? AS_ROOT
							       : "mount -t tracefs tracefs /sys/kernel/tracing, where the kernel "
								 "has CONFIG_TRACING" };
}

/* The text of a file in tracefs, or NULL. */
static char *tracefs_text(const struct doctor *d, const char *name)
{
	_cleanup_free_ char *dir = NULL;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(d->sys, &dir);
	if (err)
		return NULL;
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *unread = sys_read(d->sys, path, &text, 64 << 20);
	return unread ? NULL : xstrdup(strbuf_str(&text));
}

static bool has_in_tracefs(const struct doctor *d, const char *name)
{
	_cleanup_free_ char *dir = NULL;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(d->sys, &dir);
	_cleanup_free_ char *path = err ? NULL : xasprintf("%s/%s", dir, name);
	return path && sys_exists(d->sys, path);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;
	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

static struct finding tracepoints(struct doctor *d)
{
	_cleanup_free_ char *names = tracefs_text(d, "available_events");
	if (lines_of(names))
		return finding_ok(arena_printf(&d->arena, "%zu of the kernel, its modules and probes", lines_of(names)));
	return (struct finding){ FINDING_MISSING, "none can be read", "-e SYSTEM:NAME, trace -e, sched, lock, kwork, timechart",
				 d->is_root ? "a kernel with CONFIG_FTRACE and CONFIG_EVENT_TRACING" : AS_ROOT };
}

static struct finding system_calls(struct doctor *d)
{
	if (has_in_tracefs(d, "events/raw_syscalls/sys_enter"))
		return finding_ok(has_in_tracefs(d, "events/syscalls") ? "all, and each with its arguments"
								       : "all, without tracepoints of single calls (-e syscalls:…)");
	return (struct finding){ FINDING_MISSING, "no tracepoints", "trace of system calls",
				 d->is_root ? "a kernel with CONFIG_FTRACE_SYSCALLS" : AS_ROOT };
}

/* Probes of the kernel or of programs: their PMU creates events without a definition, tracefs has those with one. */
static struct finding probes(struct doctor *d, const char *pmu, const char *file, const char *loss, const char *config)
{
	const char *path = arena_printf(&d->arena, "/sys/bus/event_source/devices/%s", pmu);
	bool has_pmu = sys_exists(d->sys, path), has_file = has_in_tracefs(d, file);
	if (!has_pmu && !has_file)
		return (struct finding){ FINDING_MISSING, "the kernel has none", loss, config };
	if (!d->is_perfmon)
		return (struct finding){ FINDING_MISSING, "not for this user", loss, "run as root" };
	return finding_ok(has_file ? "by definition and by trace --func" : "by trace --func alone");
}

static struct finding uprobes(struct doctor *d)
{
	return probes(d, "uprobe", "uprobe_events", "probe -x, trace --func, markers of programs",
		      "a kernel with CONFIG_UPROBES and CONFIG_UPROBE_EVENTS");
}

static struct finding kprobes(struct doctor *d)
{
	return probes(d, "kprobe", "kprobe_events", "probe of kernel functions, trace --func kernel:…",
		      "a kernel with CONFIG_KPROBES and CONFIG_KPROBE_EVENTS");
}

static struct finding function_tracer(struct doctor *d)
{
	_cleanup_free_ char *tracers = tracefs_text(d, "available_tracers");
	if (tracers && strstr(tracers, "function"))
		return finding_ok(arena_strndup(&d->arena, tracers, strcspn(tracers, "\n")));
	return (struct finding){ FINDING_MISSING, "none", "the kernel's own traces of all its functions",
				 !tracers && !d->is_root ? AS_ROOT : "a kernel with CONFIG_FUNCTION_TRACER" };
}

static struct finding schedstats(struct doctor *d)
{
	int64_t on = doctor_sysctl(d, "kernel/sched_schedstats");
	if (on > 0)
		return finding_ok("sched:sched_stat_* show how long tasks slept and waited");
	return (struct finding){ FINDING_PARTLY, on < 0 ? "the kernel has none" : "off",
				 "sched:sched_stat_*, which perf's older recipes use; record --wall and sched do not require them",
				 on < 0 ? "a kernel with CONFIG_SCHEDSTATS" : "sysctl kernel.sched_schedstats=1" };
}

static struct finding lockdown(struct doctor *d)
{
	switch (sys_lockdown(d->sys)) {
	case SYS_LOCKDOWN_NONE:
		return finding_ok("none");
	case SYS_LOCKDOWN_INTEGRITY:
		return finding_ok("integrity: of what strobe uses, only /proc/kcore is forbidden");
	case SYS_LOCKDOWN_CONFIDENTIALITY:
		break;
	}
	return (struct finding){ FINDING_MISSING, "confidentiality",
				 "samples of the kernel, BPF programs that read its memory, kprobes",
				 "boot with lockdown=integrity, or without Secure Boot" };
}

const struct check checks_tracing[] = {
	{ "tracefs", "tracefs", tracefs },
	{ "tracepoints", "tracepoints", tracepoints },
	{ "system-calls", "tracepoints of system calls", system_calls },
	{ "uprobes", "probes of programs", uprobes },
	{ "kprobes", "probes of the kernel", kprobes },
	{ "function-tracer", "function tracer", function_tracer },
	{ "schedstats", "statistics of the scheduler", schedstats },
	{ "lockdown", "lockdown", lockdown },
	{},
};
