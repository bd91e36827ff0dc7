/*
 * Removes earlier recordings while another is being made, without holding up its reader.
 *
 * Freeing a file of some hundred MB takes tens of milliseconds in the kernel: longer than the rings of a busy system
 * last. The name goes at once; what it named is held open and let go by a thread of its own, at normal priority.
 * One caller's thread; the remover's thread touches nothing but descriptors handed to it. Source: unlink(2), openat(2)
 * (O_PATH).
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct record_remover {
	pthread_t thread;
	int to_thread; /* write end of a pipe of descriptors; -1: no thread, files are freed where they are removed */
	int from_caller;
	pid_t tid;
	bool started;
};

/* The thread's id is known on return, so that what it does can be kept out of the recording. */
struct strobe_error *record_remover_start(struct record_remover *r) _must_check_;
/* Of what is about to lose its last name: a descriptor that keeps it, or -1. */
int record_remover_hold(const struct record_remover *r, const char *path);
/* Takes the descriptor. */
void record_remover_let_go(struct record_remover *r, int fd);
/* Waits until all is freed; a remover of zeros, or one that was not started, is fine. */
void record_remover_stop(struct record_remover *r);
