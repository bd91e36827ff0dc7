/* A recording that a daemon runs: `record` with the options of its setting, in its own directory, with fifos for commands. One thread. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

struct daemon_session {
	char *name, *run, *directory; /* owned */
	pid_t pid;       /* 0: ended */
	time_t since;
};

/* Data for a session's process. */
struct daemon_child {
	const char *program; /* strobe's own executable */
	sigset_t mask;
};

/* In base/session-NAME; output goes to the file "output" there. */
struct strobe_error *daemon_session_start(struct daemon_session *s, const char *base, const char *name, const char *run,
					  const struct daemon_child *child) _must_check_;
void daemon_session_deinit(struct daemon_session *s);
/* Whether the recording replies through its control fifo, within some seconds. */
bool daemon_session_answers(const struct daemon_session *s);
/* Sends SIGTERM, and after 10 s SIGKILL; waits. Returns the status of wait(2). */
int daemon_session_stop(struct daemon_session *s);
