/* The tasks of a live trace, and their ends. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/cgroups.h"
#include "tracing/live/priv.h"

/* The interval of checking whether traced tasks still run. */
#define ALIVE_INTERVAL_MS 100

struct strobe_error *live_trace_find_cgroup(struct live_trace *t)
{
	const char *name = t->q.options->cgroup;
	struct stat st;
	if (!name)
		return NULL;
	_cleanup_free_ char *root = sys_cgroup2_root(t->q.sys);
	if (!root)
		return error_create(ERROR_NOT_FOUND, "-G %s: no cgroup v2 file system is mounted", name);
	t->cgroup = xasprintf("%s/%s", root, name);
	_cleanup_free_ char *procs = xasprintf("%s/cgroup.procs", t->cgroup);
	if (stat(procs, &st))
		return error_errno(errno, "-G %s: cannot use the cgroup %s", name, t->cgroup);
	return NULL;
}

/* -u: the user's processes include this one. */
static void leave_out_ourselves(struct target_map *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->threads.len; i++)
		if (m->threads.data[i].pid != getpid())
			m->threads.data[n++] = m->threads.data[i];
	m->threads.len = n;
}

static struct trace_targets targets_of(const struct live_trace *t)
{
	const struct live_trace_options *o = t->q.options;
	const struct trace_selection *s = t->q.selection;
	struct trace_targets targets = {
		.sys = t->q.sys,
		.map = &t->map,
		.native = t->calls.native,
		.compat = t->calls.compat,
		.by_cpu = o->target.cpus != NULL,
		.inherit = !o->no_inherit,
		.leader = t->follows_command ? t->command : 0,
		.starts_enabled = !t->follows_command && !o->delay_ms,
		.delayed = o->delay_ms != 0,
		.cgroup = t->cgroup,
		.excluded = s->excluded.data,
		.excluded_nr = s->excluded.len,
		.funcs = t->funcs.funcs.len ? &t->funcs.bpf : NULL,
		.all_calls = !s->calls && trace_selects_calls(s),
	};
	memcpy(targets.selected, t->calls.chosen.bits, sizeof(t->calls.chosen.bits));
	memcpy(targets.selected + TRACE_NUMBERS / 64, t->calls.compat_chosen.bits, sizeof(t->calls.compat_chosen.bits));
	return targets;
}

struct strobe_error *live_trace_find_tasks(struct live_trace *t, pid_t command)
{
	const struct live_trace_options *o = t->q.options;
	t->command = command;
	t->target = o->target;
	if (target_is_none(&t->target) && (o->cgroup || !command))
		t->target.system_wide = true;
	t->follows_command = target_is_none(&t->target);
	TRY(target_resolve(t->q.sys, &t->target, t->follows_command ? command : 0, &t->map));
	leave_out_ourselves(&t->map);
	for (unsigned i = 0; i < t->map.notes_nr; i++)
		session_say(t->q.host, "%s", t->map.notes[i]);
	t->targets = targets_of(t);
	return NULL;
}

void live_trace_read_tasks(const struct live_trace *t, struct trace_tasks *tasks)
{
	for (size_t i = 0; !t->follows_command && i < t->map.threads.len; i++)
		trace_task(tasks, (uint32_t)t->map.threads.data[i].tid, (uint32_t)t->map.threads.data[i].pid);
}

void live_trace_follow_exec(struct live_trace *t, uint32_t pid)
{
	for (size_t i = 0; i < t->map.threads.len; i++)
		if ((uint32_t)t->map.threads.data[i].pid == pid)
			t->map.threads.data[i].tid = (pid_t)pid;
}

static uint64_t now_ms(const struct live_trace *t)
{
	return sys_clock_ns(t->q.sys, CLOCK_MONOTONIC) / 1000000;
}

void live_trace_begin(struct live_trace *t)
{
	int64_t delay_ms = t->q.options->delay_ms;
	t->alive_ms = now_ms(t);
	t->begin_ms = delay_ms ? t->alive_ms + (uint64_t)delay_ms : 0;
}

struct strobe_error *live_trace_wait(struct live_trace *t, int wait_ms)
{
	bool tasks = !t->command && (t->target.pids || t->target.tids || t->target.uid);
	bool end = false;
	if (wait_ms < 0 && (tasks || t->begin_ms))
		wait_ms = ALIVE_INTERVAL_MS;
	TRY(t->q.wait(t->q.ctx, t->wake_fd, wait_ms, &end));
	t->ended |= end;
	if (t->begin_ms && now_ms(t) >= t->begin_ms) {
		t->begin_ms = 0;
		live_trace_enable(t);
	}
	if (tasks && (t->seem_gone || now_ms(t) - t->alive_ms >= ALIVE_INTERVAL_MS)) {
		bool gone = !target_map_is_alive(&t->map, t->q.sys);
		t->alive_ms = now_ms(t);
		/* Checked twice: a record read in between may be of an exec, after which a thread has another number. */
		t->ended |= gone && t->seem_gone;
		t->seem_gone = gone;
	}
	return NULL;
}
