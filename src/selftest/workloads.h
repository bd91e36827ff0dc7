/*
 * Workloads with known profiles, by perf's names: strobe record … strobe test -w leafloop.
 *
 * Their functions have the names that perf's tests expect. Loops end after the number of seconds in the first argument (default 1).
 */
#pragma once
#include <stddef.h>

struct workload {
	const char *name;
	const char *summary;
	/* argv[0] is the first argument. Returns an exit status. */
	int (*run)(int argc, char **argv);
};

/* Ends with a NULL name. */
extern const struct workload workloads[];
