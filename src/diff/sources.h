/*
 * Which files are compared: from the words of a command line, or from patterns for several runs of two sides.
 *
 * All is in the caller's arena. Errors: ERROR_USAGE.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"

#define DIFF_INPUTS_MAX 256

/* A side by its files: one, or several runs of the same. */
struct diff_source {
	const char *const *paths;
	uint32_t nr;
	const char *times; /* in place of those of the request; or NULL */
};

struct diff_sources {
	struct diff_source *data; /* the base first; two at least */
	uint32_t nr;
};

/* A side for each word; one word is compared with perf.data.old, and without words perf.data is. */
struct diff_sources diff_sources_of_words(struct arena *arena, int argc, char *const *argv);
/* Two sides of several runs: names and patterns with ',' between them, "a*.data,b.data". */
struct strobe_error *diff_sources_of_runs(struct arena *arena, const char *before, const char *after, struct diff_sources *ret)
	_must_check_;
/* times: one range for all, which is left to the request, or with ':' between them one for each side. */
struct strobe_error *diff_sources_set_times(struct arena *arena, const char *times, struct diff_sources *s) _must_check_;
