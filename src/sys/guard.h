/*
 * Undoes changes when this process ends, even if it is killed: writes files and removes a directory. A child waits for the end of a
 * pipe that only this process holds open.
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

/* The content to restore. A file that no longer exists by then is skipped. */
struct guard_write {
	const char *path, *text;
};

/*
 * Restored in this order, then the directory (or NULL) is removed, retrying for some seconds while it is in use. Paths are absolute,
 * without the root of sys.
 */
struct strobe_error *guard_start(struct guard *g, const struct guard_write *writes, size_t nr, const char *directory) _must_check_;
/* Waits until all is undone. Does nothing if not started. */
void guard_end(struct guard *g);
