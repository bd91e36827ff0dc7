/*
 * What is undone in any case once this process ends, even when it is killed: files are written, a directory is removed. A child waits
 * for the end of a pipe that this process alone holds open, and undoes it then.
 *
 *	guard_start(&g, writes, nr, directory);	before the first change
 *	…
 *	guard_end(&g);				undoes now
 *
 * Signals of the terminal do not reach the child. One thread.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct guard {
	pid_t pid; /* 0: not started */
	int fd;
};

/* The file as it is to be afterwards. Of a file that is gone by then, nothing. */
struct guard_write {
	const char *path, *text;
};

/* In this order, then the directory (or NULL), which is tried for some seconds while it is in use. Paths are full, below no root. */
struct strobe_error *guard_start(struct guard *g, const struct guard_write *writes, size_t nr, const char *directory) _must_check_;
/* Waits until all is undone. Nothing to do where it was not started. */
void guard_end(struct guard *g);
