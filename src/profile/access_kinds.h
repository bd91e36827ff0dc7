/*
 * Kinds of memory access by which `mem report -F op,cache,memory,snoop,dtlb` divides the sums of rows: each word that describes the
 * source of data (union perf_mem_data_src of linux/perf_event.h) belongs to one kind of each division.
 *
 * Const tables; nothing is kept. Names are those of perf's columns. Source: perf-mem(1), linux/perf_event.h.
 */
#pragma once
#include <stdint.h>

enum access_division { ACCESS_OP, ACCESS_CACHE, ACCESS_MEMORY, ACCESS_SNOOP, ACCESS_DTLB, ACCESS_DIVISIONS };

/* Their kinds are numbered one after the other. */
#define ACCESS_KINDS 28

struct access_kinds {
	unsigned first, nr;       /* numbers of its kinds */
	const char *const *names; /* of the kinds */
};

extern const struct access_kinds access_kinds[ACCESS_DIVISIONS];

/* The number of the kind to which an access belongs, for each division. */
void access_kinds_of(uint64_t data_src, unsigned ret[ACCESS_DIVISIONS]);
