/*
 * Which of two symbols at one address people are shown: perf's order of preference, learnt by experiment.
 *
 * A size beats none, strong beats weak, global beats local, fewer leading underscores beat more, the longer name beats
 * the shorter; a name that begins in "SyS" or "compat_SyS" (old aliases of system calls) loses; else the first stays.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct rank_candidate {
	uint64_t bytes;
	uint8_t binding; /* STB_* */
	const char *name;
};

/* Whether a is to replace b, which came first. demangle: names are compared as they are shown. */
bool rank_better(const struct rank_candidate *a, const struct rank_candidate *b, bool demangle);
