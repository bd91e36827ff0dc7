/*
 * Signals that a program waits for: those that end it (INT and TERM, and HUP unless it is ignored, as under nohup), and others that it
 * names, such as SIGCHLD. They are received through one descriptor, which may be polled. SIGPIPE is ignored meanwhile, so that a closed
 * pipe is an error of a write. Open it before creating threads, which then inherit the blocked signals. Source: signalfd(2).
 */
#pragma once
#include <signal.h>

#include "base/error.h"

struct signals {
	int fd; /* -1: not open */
	sigset_t old_mask;
	void (*old_sigpipe)(int);
};

#define SIGNALS_NONE ((struct signals){ .fd = -1 })

/* more: additional signals, terminated by 0; or NULL. */
struct strobe_error *signals_open(struct signals *s, const int *more) _must_check_;
/* The next pending signal, 0 if none. */
int signals_next(const struct signals *s);
/* Waits for a signal, at most that many milliseconds. */
void signals_wait(const struct signals *s, int ms);
/* Restores the previous state; does nothing if not open. */
void signals_close(struct signals *s);
/*
 * From now on a write beyond the limit of file size fails with EFBIG, as one to a full disk fails with ENOSPC. Programs that are executed
 * do not inherit this.
 */
void signals_survive_file_limit(void);
/* Closes, and raises a received signal with its default effect, so that a waiting shell sees it. Returns if that does not end us. */
void signals_raise(struct signals *s, int number);
