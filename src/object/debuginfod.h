/*
 * Files by build-id from debuginfod servers, kept where other clients keep theirs.
 *
 * Off unless servers are named (DEBUGINFOD_URLS). A file is looked for in the cache first: DIR/HEX/debuginfo and
 * DIR/HEX/executable; an empty file there remembers for ten minutes that no server has it. A server that does not answer in time
 * is not used again by this client: it costs a wait once and not once for each file. What arrives is checked to be of that build-id.
 * Thread-safe; several files are fetched at a time, each by the thread that needs it. Sources: debuginfod(8), debuginfod_find_build_id(3).
 */
#pragma once
#include <stdbool.h>

#include <stddef.h>

#include "base/error.h"

struct debuginfod;

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG };

struct debuginfod_options {
	const char *urls;      /* separated by blanks; NULL or "" = there are none */
	const char *cache_dir; /* NULL = the usual place by environment */
	double stall_s;        /* a server that is silent for so long is given up; 0 = 5 s */
	double most_s;         /* for a file; 0 = as long as it takes */
	size_t most_bytes;     /* of a file; 0 = 4 GB */
};

/* By the environment: DEBUGINFOD_URLS (or urls, where not NULL), DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT, _MAXTIME, _MAXSIZE. */
struct debuginfod *debuginfod_from_environment(const char *urls);
void debuginfod_destroy(struct debuginfod *d);
/* The path of the file in the cache, fetched where it is not there; for the caller to free. ERROR_NOT_FOUND: no server has it. */
struct strobe_error *debuginfod_find(struct debuginfod *d, const char *hex, enum debuginfod_kind kind, char **ret) _must_check_;
