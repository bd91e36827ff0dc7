#include "cmd/trace/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/trace/show.h"
#include "sys/cgroups.h"

/* How often it is looked whether the tasks that are traced still live. */
#define ALIVE_INTERVAL_MS 100
/* A file system takes few large pieces sooner than many small ones. */
#define OUTPUT_BYTES (256 << 10)

const struct syscall_desc *trace_call_desc(const struct trace_run *r, uint32_t call)
{
	return trace_whom_call(&r->whom, call);
}

static bool has_all_that_open(const struct syscall_table *t, const struct syscall_set *chosen)
{
	const struct syscall_desc *const *all;
	for (size_t i = 0, n = t ? syscall_table_all(t, &all) : 0; i < n; i++)
		if ((all[i]->fds != SYSCALL_FDS_KEPT || all[i]->ret == SYSCALL_RET_FD) && !syscall_set_has(chosen, all[i]->number))
			return false;
	return true;
}

void trace_ask_targets(const struct trace_run *r, struct trace_tasks *tasks)
{
	for (size_t i = 0; !r->traces_command && i < r->map.threads.len; i++)
		trace_task(tasks, (uint32_t)r->map.threads.data[i].tid, (uint32_t)r->map.threads.data[i].pid);
}

bool trace_sees_files(const struct trace_run *r)
{
	const struct trace_options *o = r->o;
	bool by_result = !o->with_summary && !r->by_rings && (o->failure || o->duration_set);
	if (by_result || o->path || o->target.cpus || o->target.tids || o->no_inherit || !trace_wants_calls(o))
		return false;
	return r->whom.all_calls || (has_all_that_open(r->native, &r->chosen) && has_all_that_open(r->compat, &r->compat_chosen));
}

struct strobe_error *trace_select_calls(struct trace_run *r, const struct arch *arch, const char *calls)
{
	r->native = arch ? syscall_table_create(arch) : NULL;
	r->compat = arch && arch->compat ? syscall_table_create(arch->compat) : NULL;
	if (!r->native || !calls)
		return NULL;
	TRY(syscall_select(r->native, calls, &r->chosen));
	return r->compat ? syscall_select(r->compat, calls, &r->compat_chosen) : NULL;
}

static struct strobe_error *choose_calls(struct trace_run *r)
{
	TRY(trace_select_calls(r, arch_native(), trace_wants_calls(r->o) ? r->o->calls : NULL));
	if (!r->native)
		return error_create(ERROR_UNSUPPORTED, "no system call table for this architecture");
	r->whom.native = r->native;
	r->whom.compat = r->compat;
	r->whom.all_calls = !r->o->calls && trace_wants_calls(r->o);
	memcpy(r->whom.selected, r->chosen.bits, sizeof(r->chosen.bits));
	memcpy(r->whom.selected + TRACE_NUMBERS / 64, r->compat_chosen.bits, sizeof(r->compat_chosen.bits));
	return NULL;
}

/* By its path below the root of the hierarchy. */
static struct strobe_error *find_cgroup(struct trace_run *r)
{
	struct stat st;
	if (!r->o->cgroup)
		return NULL;
	_cleanup_free_ char *root = sys_cgroup2_root(r->sys);
	if (!root)
		return error_create(ERROR_NOT_FOUND, "-G %s: no cgroup v2 file system is mounted", r->o->cgroup);
	r->cgroup = xasprintf("%s/%s", root, r->o->cgroup);
	_cleanup_free_ char *procs = xasprintf("%s/cgroup.procs", r->cgroup);
	if (stat(procs, &st))
		return error_errno(errno, "-G %s: cannot use the cgroup %s", r->o->cgroup, r->cgroup);
	r->whom.cgroup = r->cgroup;
	return NULL;
}

/* -u: we are one of the user's. */
static void leave_out_ourselves(struct target_map *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->threads.len; i++)
		if (m->threads.data[i].pid != getpid())
			m->threads.data[n++] = m->threads.data[i];
	m->threads.len = n;
}

static struct strobe_error *settle_target(struct trace_run *r)
{
	const struct trace_options *o = r->o;
	int argc = r->ctx->rest.argc;
	r->target = o->target;
	if (o->cgroup && target_is_none(&r->target))
		r->target.system_wide = true;
	if (target_is_none(&r->target) && !argc)
		r->target.system_wide = true;
	r->traces_command = target_is_none(&r->target);
	TRY(target_resolve(r->sys, &r->target, r->traces_command ? r->workload.pid : 0, &r->map));
	leave_out_ourselves(&r->map);
	for (unsigned i = 0; i < r->map.notes_nr; i++)
		cmd_say(r->ctx, "%s", r->map.notes[i]);
	r->whom.sys = r->sys;
	r->whom.map = &r->map;
	r->whom.by_cpu = o->target.cpus != NULL;
	r->whom.inherit = !o->no_inherit;
	r->whom.leader = r->traces_command ? r->workload.pid : 0;
	r->whom.starts_enabled = !r->traces_command && !o->delay_ms;
	r->whom.delayed = o->delay_ms != 0;
	r->whom.excluded = o->excluded.data;
	r->whom.excluded_nr = o->excluded.len;
	return NULL;
}

struct strobe_error *trace_open_output(struct trace_run *r)
{
	const char *file = r->o->output;
	/* As strace, unless it is for a program to read. */
	r->out_fd = r->o->format != &trace_format_text ? STDOUT_FILENO : STDERR_FILENO;
	if (file && !strcmp(file, "-"))
		r->out_fd = STDOUT_FILENO;
	else if (file)
		TRY(cmd_open_file(file, false, &r->out_fd));
	out_init_fd(&r->out, r->out_fd);
	out_reserve(&r->out, OUTPUT_BYTES);
	return NULL;
}

static void take_signals(struct trace_run *r)
{
	for (int number; (number = cmd_signals_next(&r->signals));) {
		if (number != SIGCHLD) {
			r->signal = number;
			r->ended = true;
		} else if (r->workload.pid && workload_reap(&r->workload, false)) {
			r->ended = true;
		}
	}
}

static uint64_t now_ms(const struct trace_run *r)
{
	return sys_clock_ns(r->sys, CLOCK_MONOTONIC) / 1000000;
}

struct strobe_error *trace_wait(struct trace_run *r, int wait_ms)
{
	bool tasks = !r->workload.pid && (r->target.pids || r->target.tids || r->target.uid);
	struct pollfd fds[] = { { .fd = r->signals.fd, .events = POLLIN }, { .fd = r->wake_fd, .events = POLLIN } };
	if (wait_ms < 0 && (tasks || r->begin_ms))
		wait_ms = ALIVE_INTERVAL_MS;
	if (poll(fds, 2, wait_ms) < 0 && errno != EINTR)
		return error_errno(errno, "cannot wait");
	if (fds[0].revents)
		take_signals(r);
	if (r->begin_ms && now_ms(r) >= r->begin_ms) {
		r->begin_ms = 0;
		r->hooks->enable(r, true);
	}
	if (tasks && (r->seem_gone || now_ms(r) - r->alive_ms >= ALIVE_INTERVAL_MS)) {
		bool gone = !target_map_is_alive(&r->map, r->sys);
		r->alive_ms = now_ms(r);
		/* Checked twice: a record read in between may be of an exec, after which a thread has another number. */
		r->ended |= gone && r->seem_gone;
		r->seem_gone = gone;
	}
	return NULL;
}

void trace_follow_exec(struct trace_run *r, uint32_t pid)
{
	for (size_t i = 0; i < r->map.threads.len; i++)
		if ((uint32_t)r->map.threads.data[i].pid == pid)
			r->map.threads.data[i].tid = (pid_t)pid;
}

static struct strobe_error *wait_for_end(struct trace_run *r)
{
	r->alive_ms = now_ms(r);
	r->begin_ms = r->o->delay_ms ? r->alive_ms + (uint64_t)r->o->delay_ms : 0;
	if (r->hooks->run)
		return r->hooks->run(r);
	while (!r->ended)
		TRY(trace_wait(r, -1));
	return NULL;
}

static struct strobe_error *open_rings(struct trace_run *r)
{
	r->by_rings = true;
	r->hooks = trace_wants_events(r->o) ? &trace_events_hooks : &trace_rings_hooks;
	if (r->o->map_dump)
		return error_create(ERROR_UNSUPPORTED, "--map-dump requires BPF");
	return r->hooks->open(r);
}

static void say_limits(const struct trace_run *r)
{
	if (!r->o->summary)
		cmd_say(r->ctx, "tracepoints have no data behind pointers: names, buffers and structs are printed as "
			"addresses; signals, starts and exits of tasks are missing");
}

/* By BPF, or where that cannot be, by tracepoints and rings. */
static struct strobe_error *open_hooks(struct trace_run *r)
{
	if (r->o->no_bpf && trace_wants_calls(r->o)) {
		TRY(open_rings(r));
		say_limits(r);
		return NULL;
	}
	struct strobe_error *err = r->hooks->open(r);
	if (!err || !trace_wants_calls(r->o) || (!error_is(err, ERROR_UNSUPPORTED) && !error_is(err, ERROR_PERMISSION)))
		return err;
	if (r->state)
		r->hooks->close(r);
	r->state = NULL;
	trace_forget_lines(r);
	struct strobe_error *other = open_rings(r);
	if (other) {
		other = error_prefix(other, "cannot trace: BPF is unavailable (%s), and so are tracepoints", err->message);
	} else {
		cmd_say(r->ctx, "%s; using tracepoints instead", err->message);
		say_limits(r);
	}
	error_destroy(err);
	return other;
}

static struct strobe_error *run(struct trace_run *r)
{
	TRY(trace_options_check(r->o, r->ctx->rest.argc));
	TRY(choose_calls(r));
	if (r->o->path)
		path_choice_init(&r->path, r->o->path);
	TRY(find_cgroup(r));
	TRY(cmd_signals_open(&r->signals, (int[]){ SIGCHLD, 0 }));
	TRY(trace_open_output(r));
	if (r->ctx->rest.argc) {
		struct workload_options options = cmd_signals_workload(&r->signals);
		options.stdout_to_stderr = r->out_fd == STDOUT_FILENO;
		r->argv = xcalloc((size_t)r->ctx->rest.argc + 1, sizeof(*r->argv));
		memcpy(r->argv, r->ctx->rest.argv, (size_t)r->ctx->rest.argc * sizeof(*r->argv));
		TRY(workload_fork(r->argv, options, &r->workload));
	}
	TRY(settle_target(r));
	TRY(open_hooks(r));
	trace_begin_output(r);
	if (r->workload.pid)
		TRY(workload_start(&r->workload));
	TRY(wait_for_end(r));
	return r->hooks->finish(r);
}

/* The command's own status; what ended us by a signal ends us so, for the shell that waits. */
static int status_of(struct trace_run *r)
{
	if (r->signal)
		cmd_signals_raise(&r->signals, r->signal);
	if (!r->workload.reaped || !r->traces_command)
		return CMD_OK;
	int status = r->workload.status;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct strobe_error *trace_close_output(struct trace_run *r, struct strobe_error *err)
{
	const char *name = r->o->output ? r->o->output : "to standard error";
	struct strobe_error *write_error = r->out_fd >= 0 ? out_close_file(&r->out, name) : NULL;
	if (err)
		error_destroy(write_error);
	else
		err = write_error;
	if (r->out_fd > STDERR_FILENO)
		close(r->out_fd);
	return err;
}

int trace_run(struct trace_run *r)
{
	struct strobe_error *err = run(r);
	if (r->state)
		r->hooks->close(r);
	trace_forget_lines(r);
	/* A command that is not at its end goes on without us, unless it was never let go. */
	if (r->workload.pid && !r->workload.reaped && (err || r->signal || r->ended))
		workload_end(&r->workload);
	err = trace_close_output(r, err);
	int status = err && error_is(err, ERROR_USAGE) ? cmd_fail_usage(r->ctx, err) : err ? cmd_fail(r->ctx, err) : status_of(r);
	target_map_deinit(&r->map);
	free(r->cgroup);
	free(r->argv);
	path_choice_deinit(&r->path);
	syscall_table_destroy(r->native);
	syscall_table_destroy(r->compat);
	return status;
}
