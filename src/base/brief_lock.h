/*
 * Mutexes that are held for less time than a sleep and wake-up takes, as around a table look-up: a thread spins for some
 * hundred cycles before it sleeps. On an idle machine a sleep costs up to 50 us, since the processor sleeps as well. Use them
 * like other mutexes. Source: pthread.h of glibc, PTHREAD_MUTEX_ADAPTIVE_NP.
 */
#pragma once
#include <pthread.h>
#include <sched.h>

static inline void brief_lock_init(pthread_mutex_t *lock)
{
	*lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
}

/*
 * Which of n parts a thread takes, each with a lock of its own, where any of them will do: threads that run at once take different
 * ones, for it is the number of the processor. Another call may return another.
 */
static inline unsigned brief_lock_part(unsigned n)
{
	int cpu = sched_getcpu();
	return cpu < 0 ? 0 : (unsigned)cpu % n;
}
