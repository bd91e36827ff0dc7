/*
 * A pager on the terminal: a child process that reads from a pipe.
 *
 * Chosen by STROBE_PAGER, PERF_PAGER, the configured one, PAGER, then less and more if installed; an empty choice or "cat" means
 * none. The command line is split at blanks and run without a shell, unless it contains special characters of a shell. One pager per
 * process.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct pager {
	pid_t pid;
	int fd; /* to write to; -1: no pager */
};

/* The command line of the pager, or NULL. configured may be NULL. */
const char *pager_choose(const char *configured);
/*
 * The same with the settings core.pager and pager.CMD of a command (NULL: none): the latter is a command line, or a boolean.
 * is_forced: ignore a false there.
 */
struct config;
const char *pager_of_settings(const struct config *config, const char *cmd, bool is_forced);
struct strobe_error *pager_start(const char *command, struct pager *ret) _must_check_;
/* Closes the pipe and waits until the user has left the pager. */
void pager_finish(struct pager *p);
