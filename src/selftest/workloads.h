/*
 * Programs to be profiled whose answer is known, by the names that perf's have: strobe record … strobe test -w leafloop.
 *
 * Their functions have the names that perf's tests look for. Loops end after the seconds that the first argument says (1).
 */
#pragma once
#include <stddef.h>

struct workload {
	const char *name;
	const char *summary;
	/* argv[0] is the first argument. An exit status. */
	int (*run)(int argc, char **argv);
};

/* Ends with a NULL name. */
extern const struct workload workloads[];
