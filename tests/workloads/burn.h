/*
 * Burning CPU time by amounts that can be compared: one chain of dependent multiplications, so that neither alignment
 * nor the width of the machine changes what an iteration costs. BURN is a macro: the time belongs to who uses it.
 */
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define BURN(iterations)                                                \
	do {                                                            \
		uint64_t x_ = (uintptr_t)&x_;                           \
		for (uint64_t i_ = (iterations); i_ > 0; i_--) {        \
			x_ = x_ * 6364136223846793005u + 1;             \
			__asm__ volatile("" : "+r"(x_));                \
		}                                                       \
	} while (0)

/* Burns until this thread has used so much more CPU time. */
#define BURN_MS(ms)                                                     \
	do {                                                            \
		double stop_ = cpu_ms() + (ms);                         \
		do                                                      \
			BURN(20000);                                    \
		while (cpu_ms() < stop_);                               \
	} while (0)

__attribute__((always_inline)) static inline double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec * 1e-6;
}

__attribute__((always_inline)) static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1du;
}
