/*
 * Writes a profile in pprof's format: profile.proto in gzip, for files whose names end in ".pb.gz".
 *
 * Contains samples, locations without names, which pprof finds itself, and the mappings with code. The gzip has stored blocks, which
 * need no library; files are small. Not async-signal-safe: qsort() may allocate memory. Sources: pprof's proto/profile.proto, RFC 1951
 * and 1952.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPROF_VALUES_MOST 4
#define PPROF_FRAMES_MOST 256

struct pprof_type {
	const char *name, *unit;
};

struct pprof_sample {
	uint64_t values[PPROF_VALUES_MOST];
	unsigned depth;
	uint64_t frames[PPROF_FRAMES_MOST]; /* innermost first; addresses within instructions, those of calls in callers */
};

struct pprof_source {
	const struct pprof_type *types; /* of the values */
	unsigned types_nr;
	struct pprof_type period_type;
	uint64_t period;
	uint64_t time_ns, duration_ns; /* since 1970; 0: unknown */
	const char *maps, *maps_end;   /* lines of /proc/PID/maps */
	const void *words;             /* for next() */
	size_t nr;
	/* The sample at *at, or after it; *at is then the place after it. False: none left. Called three times for each. */
	bool (*next)(const struct pprof_source *s, size_t *at, struct pprof_sample *ret);
};

/* Whether a file with that name is written in this format. */
bool pprof_file_is_name(const char *name);
/* Does not close the file. 0 or errno. */
int pprof_file_write(int fd, const struct pprof_source *s);
