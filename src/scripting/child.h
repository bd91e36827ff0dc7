/*
 * A child interpreter that runs a script: its program comes through memory, events go to it through a pipe, and through another one
 * it says which handlers the script has. Its standard input, output and error are ours.
 *
 * SIGPIPE is ignored while it runs, and the first SIGINT (Ctrl-C, which the child sees, too) only ends the events: script_child_stopped().
 * A second one ends this process as ever. One thread.
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct script_child {
	pid_t pid;     /* 0: there is none */
	int events_fd; /* -1: closed */
	int replies_fd;
	struct sigaction old_sigint, old_sigpipe;
};

struct script_program {
	const char *interpreter;  /* by PATH: "python3" */
	const char *needs;        /* for the message where it is not there, after "which": "Python scripts require" */
	const char *source;       /* what it runs first, which reads the events: it is given the numbers of both pipes and argv */
	size_t source_bytes;
	char *const *argv;        /* the script and its arguments, ended by NULL */
};

struct strobe_error *script_child_start(const struct script_program *program, struct script_child *ret) _must_check_;
/* False where the child no longer reads. */
bool script_child_write(struct script_child *c, const void *data, size_t n);
/* Up to n bytes of what the child says, 0 at the end. */
size_t script_child_read(struct script_child *c, void *data, size_t n);
/* Whether SIGINT came: no further events. */
bool script_child_stopped(const struct script_child *c);
/* Closes the pipes, waits for its end, and puts the signals back: its exit status, 128 + the number of the signal that ended it. */
int script_child_end(struct script_child *c);
