/*
 * A pager on the terminal: a child that is fed through a pipe.
 *
 * Chosen by STROBE_PAGER, PERF_PAGER, the configured one, PAGER, then less and more where they are installed; an empty
 * choice or "cat" means none. Its words are split at blanks and it is run without a shell, unless it has characters that
 * mean something to one. One pager per process.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct pager {
	pid_t pid;
	int fd; /* write here; -1 when there is no pager */
};

/* The command line of the pager, or NULL. configured may be NULL. */
const char *pager_choose(const char *configured);
/*
 * The same by the settings core.pager and pager.CMD of a command (NULL: of none): the latter is a command line, or whether there is
 * one. is_forced: false there does not count.
 */
struct config;
const char *pager_of_settings(const struct config *config, const char *cmd, bool is_forced);
struct strobe_error *pager_start(const char *command, struct pager *ret) _must_check_;
/* Closes the pipe and waits until the user has left the pager. */
void pager_finish(struct pager *p);
