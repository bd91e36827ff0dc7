/*
 * The files to compare: from command line arguments, or from patterns for several runs of two sides.
 *
 * All is in the caller's arena. Errors: ERROR_USAGE.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"

#define DIFF_INPUTS_MAX 256

/* A side by its files: one, or several runs. */
struct diff_source {
	const char *const *paths;
	uint32_t nr;
	const char *times; /* overrides the request's; or NULL */
};

struct diff_sources {
	struct diff_source *data; /* the base first; at least two */
	uint32_t nr;
};

/* One side per argument; a single argument is compared with perf.data.old, without arguments perf.data is. */
struct diff_sources diff_sources_of_words(struct arena *arena, int argc, char *const *argv);
/* Two sides of several runs: comma-separated names and patterns, "a*.data,b.data". */
struct strobe_error *diff_sources_of_runs(struct arena *arena, const char *before, const char *after, struct diff_sources *ret)
	_must_check_;
/* times: one range for all, which is left to the request, or ranges for each side, separated by ':'. */
struct strobe_error *diff_sources_set_times(struct arena *arena, const char *times, struct diff_sources *s) _must_check_;
