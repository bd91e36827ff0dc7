/*
 * The counters of the kernel's scheduler in /proc/schedstat, by CPU and scheduling domain, and their differences between two readings.
 *
 * A domain is a set of CPUs among which the kernel balances tasks. A zeroed struct is empty and valid. One thread. Source:
 * Documentation/scheduler/sched-stats.rst; versions 15 (Linux 3.x), 16 (6.11) and 17 (6.14).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"

#define SCHEDSTAT_CPU_COUNTERS        9
#define SCHEDSTAT_CPU_NARROW          6 /* the first ones have 32 bits, like all of a domain */
#define SCHEDSTAT_DOMAIN_COUNTERS_MAX 45

struct schedstat_domain {
	uint32_t number;
	const char *name; /* "MC"; NULL before version 17 */
	const char *mask; /* "00000000,0000000f" */
	const char *cpus; /* the same as a list: "0-3" */
	uint64_t counters[SCHEDSTAT_DOMAIN_COUNTERS_MAX];
};

struct schedstat_cpu {
	uint32_t cpu;
	uint64_t counters[SCHEDSTAT_CPU_COUNTERS];
	size_t first_domain, domains_nr;
};

struct schedstat {
	struct arena arena; /* of names */
	uint32_t version;
	uint64_t jiffies; /* time of the reading, or the difference */
	VEC(struct schedstat_cpu) cpus;
	VEC(struct schedstat_domain) domains;
};

void schedstat_deinit(struct schedstat *s);
/* The number of counters of a domain; 0: unknown version. */
unsigned schedstat_domain_counters(uint32_t version);
/* The text of /proc/schedstat. */
struct strobe_error *schedstat_parse(struct schedstat *s, const char *text, size_t bytes) _must_check_;
/* "00000000,0000000f" as "0-3", in arena; NULL: not a mask. */
const char *schedstat_cpu_list(struct arena *arena, const char *mask);
/* Stores the differences between two readings in `after`. ERROR_FORMAT if CPUs or domains differ. */
struct strobe_error *schedstat_subtract(struct schedstat *after, const struct schedstat *before) _must_check_;
/* Adds one CPU with the mean of each counter over all CPUs; domains by index. mean must be empty. */
void schedstat_mean(struct schedstat *mean, const struct schedstat *s);
