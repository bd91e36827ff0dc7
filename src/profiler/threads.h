/*
 * The call chains of the process's threads, running or waiting.
 *
 * A child that shares the process's memory stops one thread after the other for some microseconds, as a debugger does, and walks
 * its stack: no signal is delivered, and blocking calls continue (but epoll_wait(2), sigtimedwait(2), semop(2) and msgrcv(2)
 * return EINTR, as after SIGSTOP and SIGCONT).
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>

#define THREADS_DEPTH 254

struct thread_stack {
	pid_t tid;
	unsigned depth; /* 0: it could not be stopped, or has ended */
	uint64_t hash;
	uint64_t frames[THREADS_DEPTH]; /* innermost first; all are like return addresses */
};

struct thread_stacks {
	unsigned nr;
	int error; /* of the last thread that could not be stopped, or 0 */
	struct thread_stack all[];
};

/* All threads except the caller; NULL with errno. Free with threads_free(). */
struct thread_stacks *threads_collect(void);
void threads_free(struct thread_stacks *s);
