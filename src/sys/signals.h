/*
 * The signals that a program waits for: those that end it (INT and TERM, and HUP unless it is ignored, as under nohup),
 * and what else it names, the ends of its children for one. They come through one descriptor, which may be polled. SIGPIPE
 * and SIGXFSZ are ignored meanwhile, so that a reader that leaves and a limit of file size are errors of a write. To be
 * opened before threads are made, which then leave these signals alone as well. Source: signalfd(2).
 */
#pragma once
#include <signal.h>

#include "base/error.h"

struct signals {
	int fd; /* -1: not open */
	sigset_t old_mask;
	void (*old_sigpipe)(int), (*old_sigxfsz)(int);
};

#define SIGNALS_NONE ((struct signals){ .fd = -1 })

/* more: what else is waited for, ended by 0; NULL is nothing. */
struct strobe_error *signals_open(struct signals *s, const int *more) _must_check_;
/* The number of the next one that has come, 0 if there is none (yet). */
int signals_next(const struct signals *s);
/* Until one comes, or so many milliseconds are over. */
void signals_wait(const struct signals *s, int ms);
/* Puts things back as they were; nothing to do where it is not open. */
void signals_close(struct signals *s);
/* Closes, and lets a signal that was taken end us after all, for the shell that waits. Returns where it does not. */
void signals_raise(struct signals *s, int number);
