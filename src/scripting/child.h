/*
 * A child interpreter that runs a script: its program is in a memory file, events are sent through a pipe, and it replies through
 * another one which handlers the script has. Its standard input, output and error are ours.
 *
 * SIGPIPE is ignored while it runs, and the first SIGINT (Ctrl-C, which the child receives, too) only ends the events:
 * script_child_stopped(). A second one ends this process as usual. One thread.
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct script_child {
	pid_t pid;     /* 0: none */
	int events_fd; /* -1: closed */
	int replies_fd;
	struct sigaction old_sigint, old_sigpipe;
};

struct script_program {
	const char *interpreter;  /* looked up in PATH: "python3" */
	const char *needs;        /* for the message if it is not found, before "which": "Python scripts require" */
	const char *source;       /* program to run first, which reads the events: its arguments are the numbers of both pipes and argv */
	size_t source_bytes;
	char *const *argv;        /* the script and its arguments, terminated by NULL */
};

struct strobe_error *script_child_start(const struct script_program *program, struct script_child *ret) _must_check_;
/* False if the child no longer reads. */
bool script_child_write(struct script_child *c, const void *data, size_t n);
/* Reads up to n bytes of the child's reply, 0 at the end. */
size_t script_child_read(struct script_child *c, void *data, size_t n);
/* Whether SIGINT came: no further events. */
bool script_child_stopped(const struct script_child *c);
/*
 * Closes the pipes, waits for its end, and restores the signals. Returns its exit status, or 128 + the number of the signal that
 * ended it.
 */
int script_child_end(struct script_child *c);
