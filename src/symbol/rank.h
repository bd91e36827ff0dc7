/*
 * The preferred one of two symbols at one address: perf's order, determined by experiment.
 *
 * A size wins over none, strong over weak, global over local, fewer leading underscores over more, a longer name over a
 * shorter one; a name with the prefix "SyS" or "compat_SyS" (old aliases of system calls) loses; else the first is kept.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct rank_candidate {
	uint64_t bytes;
	uint8_t binding; /* STB_* */
	const char *name;
};

/* Whether a replaces b, which came first. demangle: compare names as shown. */
bool rank_better(const struct rank_candidate *a, const struct rank_candidate *b, bool demangle);
