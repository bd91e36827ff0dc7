/*
 * System calls of tasks that ptrace(2) stops at each of them, as the events of the stream (bpf/trace/trace_shared.h).
 *
 *	struct ptrace_tracer *t = ptrace_tracer_create(&options);
 *	TRY(ptrace_tracer_add_command(t, pid, false));      or ptrace_tracer_add_thread()
 *	while (ptrace_tracer_has_tasks(t)) { wait for SIGCHLD; ptrace_tracer_take(t); }
 *	ptrace_tracer_destroy(t);
 *
 * For users who may neither load BPF programs nor open events: it needs only the permission to trace the tasks (ptrace(2), "Ptrace
 * access mode checking"; of a command always), and Linux 5.3. Each traced call stops its task twice, which takes tens of
 * microseconds or, where idle processors sleep deeply, a hundred. While it runs nobody else may wait for children of this process:
 * their stops would be lost. Only the thread that created it may use it.
 */
#pragma once
#include "base/error.h"
#include "bpf/trace/trace_shared.h"
#include "decode/syscall.h"
#include "sys/sys.h"

struct ptrace_options {
	const struct sys *sys;
	const struct syscall_table *native, *compat; /* compat may be NULL. Borrowed, as all that is pointed to */
	const struct syscall_set *chosen, *compat_chosen; /* NULL: all calls */
	uint32_t str_limit;
	bool inherit;      /* what tasks start is traced, too */
	bool signals;      /* SIGNAL events */
	bool only_results; /* fetch no memory */
	bool files;        /* report the files of all descriptors */
	bool is_filtered;  /* the command has a filter (call_filter.h): only chosen calls stop it */
	bool is_delayed;   /* no events before ptrace_tracer_enable() */
	/* Takes an event, which is borrowed, with its payload. */
	void (*take)(void *ctx, const struct trace_event *ev, size_t bytes);
	void *ctx;
};

struct ptrace_tracer;

struct ptrace_tracer *ptrace_tracer_create(const struct ptrace_options *o);
/* Tasks go on untraced; those with a filter are killed, since their chosen calls would fail. */
void ptrace_tracer_destroy(struct ptrace_tracer *t);
/* A child that waits for its exec, with which the events begin. */
struct strobe_error *ptrace_tracer_add_command(struct ptrace_tracer *t, pid_t pid) _must_check_;
struct strobe_error *ptrace_tracer_add_thread(struct ptrace_tracer *t, pid_t pid, pid_t tid) _must_check_;
void ptrace_tracer_enable(struct ptrace_tracer *t);
/* Takes all stops that are pending, without waiting. */
void ptrace_tracer_take(struct ptrace_tracer *t);
/* How long to wait for the next stop, in milliseconds, -1: without limit, before ptrace_tracer_report_sleeping() has more to report. */
int ptrace_tracer_wait_ms(const struct ptrace_tracer *t);
/* Reports calls that have not returned for some time, with what they were passed. */
void ptrace_tracer_report_sleeping(struct ptrace_tracer *t);
/* Whether the command has begun its program, or ended without. */
bool ptrace_tracer_has_begun(const struct ptrace_tracer *t);
bool ptrace_tracer_has_tasks(const struct ptrace_tracer *t);
/* The status of the command, as of wait(2); false: it has not ended. */
bool ptrace_tracer_command_status(const struct ptrace_tracer *t, int *ret);
