/*
 * The signals that a command waits for: those that end it (INT and TERM, and HUP unless it is ignored, as under nohup),
 * and what else it names, the ends of its children for one. They come through one descriptor, which may be polled. SIGPIPE
 * and SIGXFSZ are ignored meanwhile, so that a reader that leaves and a limit of file size are errors of a write. To be
 * opened before threads are made, which then leave these signals alone as well. Source: signalfd(2).
 */
#pragma once
#include <signal.h>

#include "base/error.h"
#include "capture/workload.h"

struct cmd_signals {
	int fd; /* -1: not open */
	sigset_t old_mask;
	void (*old_sigpipe)(int), (*old_sigxfsz)(int);
};

#define CMD_SIGNALS_NONE ((struct cmd_signals){ .fd = -1 })

/* more: what else is waited for, ended by 0; NULL is nothing. */
struct strobe_error *cmd_signals_open(struct cmd_signals *s, const int *more) _must_check_;
/* The number of the next one that has come, 0 where there is none (yet). */
int cmd_signals_next(const struct cmd_signals *s);
/* Puts things back as they were; nothing to do where it is not open. */
void cmd_signals_close(struct cmd_signals *s);
/* Closes, and lets a signal that was taken end us after all, for the shell that waits. Returns where it does not. */
void cmd_signals_raise(struct cmd_signals *s, int number);
/* A child gets mask and disposition that we were started with. */
struct workload_options cmd_signals_workload(const struct cmd_signals *s);
