/*
 * A run of `strobe trace`: the command or the tasks that are there, signals, and the waiting in between; what is done with
 * system calls is the hooks' (summary.c, stream.c, events.c, rings.c).
 */
#pragma once
#include <signal.h>

#include "base/out.h"
#include "bpf/trace/trace_whom.h"
#include "capture/workload.h"
#include "cmd/cmd.h"
#include "cmd/signals.h"
#include "cmd/trace/options.h"
#include "tracing/lines.h"
#include "tracing/path_choice.h"
#include "view/trace/paper.h"

struct trace_run;

struct trace_hooks {
	/* The target is known, the command waits to be let go. */
	struct strobe_error *(*open)(struct trace_run *r);
	void (*enable)(struct trace_run *r, bool on);
	/* Calls trace_wait() and reads events in between, until r->ended. NULL: there are no events to read. */
	struct strobe_error *(*run)(struct trace_run *r);
	/* After the end: reads what is left and prints what follows the lines. */
	struct strobe_error *(*finish)(struct trace_run *r);
	void (*close)(struct trace_run *r);
};

struct trace_run {
	struct cmd_context *ctx;
	const struct trace_options *o;
	const struct sys *sys;
	const struct trace_hooks *hooks;
	struct target target;
	struct target_map map;
	struct trace_whom whom;
	char *cgroup;
	struct workload workload;
	char **argv; /* the command's, ending with NULL */
	bool traces_command;
	struct cmd_signals signals;
	int signal; /* that ended us, or 0 */
	bool ended;
	bool seem_gone;              /* at the last check no traced task was alive */
	uint64_t begin_ms, alive_ms; /* when -D is over (0: it is), when that was last checked */
	struct out out;
	int out_fd;
	/* System calls of this machine, and of its 32-bit programs (may be NULL). */
	struct syscall_table *native, *compat;
	struct syscall_set chosen, compat_chosen; /* with -e */
	struct path_choice path;                  /* with -P */
	bool by_rings;             /* without BPF: calls come from their tracepoints */
	int wake_fd;               /* of the hooks: trace_wait() returns when it is readable; or -1 */
	void *state; /* of the hooks */
	struct trace_lines *lines; /* show.h; NULL where the kernel counts */
	uint64_t flushed_lines;    /* when trace_flush_lines() was last called */
	bool shows_lines;          /* the output has begun */
	struct trace_paper paper;
	struct syscall_style style;
};

extern const struct trace_hooks trace_summary_hooks, trace_stream_hooks, trace_events_hooks;

/* Waits so long for signals and the ends of tasks (-1: until something happens); sets r->ended, ends the delay. */
struct strobe_error *trace_wait(struct trace_run *r, int wait_ms) _must_check_;
/* After an exec the thread that called it has the number of its process: whether it is alive is checked by that. */
void trace_follow_exec(struct trace_run *r, uint32_t pid);
/* Without BPF: tracepoints and rings (rings.c). */
extern const struct trace_hooks trace_rings_hooks;

/* Whether every call is seen by which a process that is traced opens and closes descriptors. */
bool trace_sees_files(const struct trace_run *r);
/* What tasks that were there before us are called, and how long they ran: they may be gone when they are told of. */
void trace_ask_targets(const struct trace_run *r, struct trace_tasks *tasks);

/* From the options to the exit status. */
int trace_run(struct trace_run *r);
/* The same for -i: what a recording holds. */
int trace_replay(struct trace_run *r);
/* trace record: a recording of system calls, by the command record. argv: what stands behind that word, itself first. */
int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv);
/* What -o names, or standard error. */
struct strobe_error *trace_open_output(struct trace_run *r) _must_check_;
/* Ends the output; err, or what went wrong with it. */
struct strobe_error *trace_close_output(struct trace_run *r, struct strobe_error *err);
/* First in the queue when there is something to read. */
void trace_raise_priority(void);
/* A filter for the tracepoints of raw_syscalls that lets calls with these numbers pass; to be freed. */
char *trace_calls_filter(const struct syscall_set *calls);
/*
 * Tables of the architecture's calls and of those of its 32-bit programs; calls (NULL: none) are looked up in both. r->native
 * stays NULL where there is no table.
 */
struct strobe_error *trace_select_calls(struct trace_run *r, const struct arch *arch, const char *calls) _must_check_;
/* The call of a number of the BPF programs; NULL for unknown ones. */
const struct syscall_desc *trace_call_desc(const struct trace_run *r, uint32_t call);
