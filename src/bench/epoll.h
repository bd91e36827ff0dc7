/*
 * Descriptors watched by epoll, for the benchmarks of epoll_wait(2) and epoll_ctl(2). Private to this room.
 *
 *	TRY(epoll_prepare(s, r, bench_cpus_nr(), false, &set));
 *	err = epoll_set_open(&set);
 *	...
 *	epoll_set_close(&set);		// also after an error
 *
 * Source: epoll(7), eventfd(2).
 */
#pragma once
#include "bench/priv.h"
#include "bench/timed.h"

#define EPOLL_NESTS_MAX 4 /* EP_MAX_NESTS of fs/eventpoll.c */

struct epoll_set {
	uint64_t tasks, fds_nr; /* fds_nr: per task */
	uint64_t instances_nr;  /* 1, or one per task */
	uint64_t nested;
	int *fds;       /* eventfds: tasks times fds_nr */
	int *instances; /* instances_nr chains of nested + 1; the first of a chain watches the descriptors, each next one the one before */
};

/* Checks the numbers of the settings and raises the limit of open files. is_multi: one instance per task. */
struct strobe_error *epoll_prepare(const struct bench_settings *s, struct bench_report *r, uint64_t default_tasks, bool is_multi,
				   struct epoll_set *ret) _must_check_;
struct strobe_error *epoll_set_open(struct epoll_set *set) _must_check_;
void epoll_set_close(struct epoll_set *set);

static inline int *epoll_fds_of(const struct epoll_set *set, uint64_t task)
{
	return set->fds + task * set->fds_nr;
}

/* The instance that watches the task's descriptors. */
static inline int epoll_of(const struct epoll_set *set, uint64_t task)
{
	return set->instances[(task % set->instances_nr) * (set->nested + 1)];
}

/* Pseudo-random numbers that differ between tasks: xorshift (Marsaglia 2003); state is not 0. */
static inline uint64_t epoll_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}
