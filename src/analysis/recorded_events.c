#include "analysis/recorded_events.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

/* The number of frames that `lock contention` uses. */
#define LOCK_FRAMES "/max-stack=8/"

void recorded_events_add(struct recorded_events *e, const char *system, const char *name, const char *terms)
{
	vec_push(&e->list, arena_printf(e->arena, "%s:%s%s", system, name, terms));
}

void recorded_events_add_known(struct recorded_events *e, const struct sys *sys, const char *system, const char *name)
{
	if (tracepoint_exists(sys, system, name))
		recorded_events_add(e, system, name, "");
}

static void add_all(struct recorded_events *e, const char *system, const char *const *names, const char *terms)
{
	for (; *names; names++)
		recorded_events_add(e, system, *names, terms);
}

/* ---- sched ---- */

void sched_recorded_events(const struct sys *sys, struct recorded_events *ret)
{
	static const char *const events[] = { "sched_switch", "sched_stat_runtime", "sched_process_fork", "sched_wakeup_new",
					      "sched_migrate_task", NULL };
	static const char *const schedstats[] = { "sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait", NULL };
	add_all(ret, "sched", events, "");
	recorded_events_add(ret, "sched", tracepoint_exists(sys, "sched", "sched_waking") ? "sched_waking" : "sched_wakeup", "");
	for (const char *const *e = schedstats; *e; e++)
		recorded_events_add_known(ret, sys, "sched", *e);
}

/* ---- lock ---- */

static const char *const lockdep_events[] = { "lock_acquire", "lock_acquired", "lock_contended", "lock_release", NULL };
static const char *const contention_events[] = { "contention_begin", "contention_end", NULL };

static bool has_lockdep(const struct sys *sys)
{
	for (const char *const *e = lockdep_events; *e; e++)
		if (!tracepoint_exists(sys, "lock", *e))
			return false;
	return true;
}

/* An error if the kernel has no events of waits. */
static struct strobe_error *check_contention(const struct sys *sys)
{
	_cleanup_free_ char *tracefs = NULL;
	uint64_t id;
	TRY(sys_tracefs(sys, &tracefs));
	return tracepoint_id(sys, tracefs, "lock", contention_events[0], &id);
}

struct strobe_error *lock_recorded_events(const struct sys *sys, struct recorded_events *ret, bool *ret_chains)
{
	*ret_chains = !has_lockdep(sys);
	if (*ret_chains)
		TRY(check_contention(sys));
	add_all(ret, "lock", *ret_chains ? contention_events : lockdep_events, *ret_chains ? LOCK_FRAMES : "");
	return NULL;
}

/* ---- timechart ---- */

static const char *const calls[] = {
#define EVENT(system, name, kind, first, second)
#define CALL(name, kind) name,
#include "analysis/timechart_events.def"
#undef EVENT
#undef CALL
};

/* Those that this architecture has. */
static struct strobe_error *add_calls(const struct sys *sys, struct recorded_events *ret)
{
	size_t before = ret->list.len;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		_cleanup_free_ char *enter = xasprintf("sys_enter_%s", calls[i]), *leave = xasprintf("sys_exit_%s", calls[i]);
		if (!tracepoint_exists(sys, "syscalls", enter) || !tracepoint_exists(sys, "syscalls", leave))
			continue;
		_cleanup_free_ char *terms = xasprintf(",syscalls:%s", leave);
		recorded_events_add(ret, "syscalls", enter, terms);
	}
	return ret->list.len > before ? NULL :
		error_create(ERROR_UNSUPPORTED, "-I: this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)");
}

struct strobe_error *timechart_recorded_events(const struct sys *sys, const struct timechart_events *choice,
					       struct recorded_events *ret)
{
	static const char *const tasks[] = { "sched_wakeup", "sched_switch", NULL };
	static const char *const power[] = { "cpu_frequency", "cpu_idle", NULL };
	_cleanup_free_ char *tracefs = NULL;
	if (choice->power_only + choice->tasks_only + choice->io_only > 1)
		return error_create(ERROR_USAGE, "-P, -T and -I exclude each other");
	TRY(sys_tracefs(sys, &tracefs));
	if (choice->io_only)
		return add_calls(sys, ret);
	if (!choice->power_only) {
		add_all(ret, "sched", tasks, "");
		/* perf's timechart ignores it; sched_wakeup may occur in an interrupt on another CPU than the waker's. */
		recorded_events_add_known(ret, sys, "sched", "sched_waking");
	}
	if (!choice->tasks_only && tracepoint_exists(sys, "power", "cpu_idle"))
		add_all(ret, "power", power, "");
	return NULL;
}
