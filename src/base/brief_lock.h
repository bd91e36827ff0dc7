/*
 * Mutexes that are held for less time than it takes to fall asleep and be woken, as around a look into a table: who finds one
 * taken tries again for some hundred cycles before it sleeps. On an idle machine a sleep costs a second thread up to 50 us, for
 * the processor sleeps as well. Locked, unlocked and destroyed as any. Source: pthread.h of glibc, PTHREAD_MUTEX_ADAPTIVE_NP.
 */
#pragma once
#include <pthread.h>

static inline void brief_lock_init(pthread_mutex_t *lock)
{
	*lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
}
