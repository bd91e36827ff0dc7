/*
 * Removes earlier recordings while another is being made, without holding up its reader.
 *
 * Freeing a file of some hundred MB takes tens of milliseconds in the kernel: rings of a busy system would overflow. The name is
 * removed at once; the file is kept open, and closed by a separate thread at normal priority. One caller's thread; the remover's
 * thread only uses descriptors passed to it. Source: unlink(2), openat(2) (O_PATH).
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct record_remover {
	pthread_t thread;
	int to_thread; /* write end of a pipe of descriptors; -1: no thread, files are freed when removed */
	int from_caller;
	pid_t tid;
	bool started;
};

/* The thread's ID is known on return, so that it can be excluded from the recording. */
struct strobe_error *record_remover_start(struct record_remover *r) _must_check_;
/* Opens a file before its last name is removed: a descriptor that keeps it, or -1. */
int record_remover_hold(const struct record_remover *r, const char *path);
/* Takes over the descriptor, for closing. */
void record_remover_let_go(struct record_remover *r, int fd);
/* Waits until all is freed. Does nothing for a zeroed remover, or one that was not started. */
void record_remover_stop(struct record_remover *r);
