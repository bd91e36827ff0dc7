/*
 * The command to be recorded: forked early so that events can be opened on it, exec'd when everything is ready.
 *
 * The child waits on a pipe; its events are enabled by its exec (enable_on_exec). The outcome of exec comes back
 * through a second, close-on-exec pipe. The child gets the signal mask and dispositions that the caller had before it
 * changed them.
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "sys/signals.h"

struct sock_fprog;

struct workload {
	pid_t pid; /* 0 = none */
	int go_fd, error_fd;
	bool started, reaped;
	int status;       /* of wait(2), once reaped */
	const char *name; /* argv[0], borrowed */
	bool is_filtered; /* it installs the filter of its options before its exec. Set before it is released */
};

struct workload_options {
	sigset_t mask;         /* for the child */
	void (*sigpipe)(int);  /* disposition of SIGPIPE for the child: NULL (SIG_DFL) or SIG_IGN */
	bool stdout_to_stderr; /* our standard output carries the recording: the child's must not */
	const struct sock_fprog *filter; /* of seccomp(2), or NULL; borrowed by workload_fork() */
};

/* Mask and dispositions for the child: those from before signals_open(). */
struct workload_options workload_options_of(const struct signals *s);
struct strobe_error *workload_fork(char *const argv[], struct workload_options options,
				   struct workload *ret) _must_check_;
/* Exit statuses of a command whose workload could not be started, as those of sh, env and timeout. */
enum workload_status { WORKLOAD_NOT_STARTED = 126, WORKLOAD_NOT_FOUND = 127 };

/* Starts its exec; an error such as ERROR_NOT_FOUND if that failed (the child is then reaped). */
struct strobe_error *workload_start(struct workload *w) _must_check_;
/* The same in two steps, the second of which waits for the exec: for a tracer, at whose stops the child waits in between. */
void workload_release(struct workload *w);
struct strobe_error *workload_check(struct workload *w) _must_check_;
/* Takes its status if it has ended (or waits for it). True once it is reaped. */
bool workload_reap(struct workload *w, bool wait);
/*
 * Handles pending signals: true if one of them ends the recording, or the workload has ended. Without a workload, SIGCHLD (signals_open())
 * is ignored.
 */
bool workload_is_over(struct workload *w, const struct signals *s);
/* Sends SIGTERM (SIGKILL if it was never started), without reaping it. Does nothing if there is none, or it has ended. */
void workload_terminate(struct workload *w);
/* The same, and waits for its end. */
void workload_end(struct workload *w);
