/*
 * Files by build ID from debuginfod servers, cached in the directory of other clients.
 *
 * Disabled unless servers are configured (DEBUGINFOD_URLS). The cache is tried first: DIR/HEX/debuginfo and DIR/HEX/executable; an
 * empty file there means for ten minutes that no server has it. A server that does not answer in time is not used again by this
 * client, so that it causes one wait and not one per file. The build ID of downloaded files is checked. Thread-safe; several files
 * are fetched at a time, each by the thread that needs it. Sources: debuginfod(8), debuginfod_find_build_id(3).
 */
#pragma once
#include <stdbool.h>

#include <stddef.h>

#include "base/error.h"

struct debuginfod;

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG };

struct debuginfod_options {
	const char *urls;      /* separated by blanks; NULL or "" = none */
	const char *cache_dir; /* NULL = the default by environment */
	double stall_s;        /* timeout without data from a server; 0 = 5 s */
	double most_s;         /* maximum time per file; 0 = unlimited */
	size_t most_bytes;     /* of a file; 0 = 4 GB */
};

/* From the environment: DEBUGINFOD_URLS (or urls, unless NULL), DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT, _MAXTIME, _MAXSIZE. */
struct debuginfod *debuginfod_from_environment(const char *urls);
void debuginfod_destroy(struct debuginfod *d);
/* The path of the file in the cache, after fetching it if necessary; for the caller to free. ERROR_NOT_FOUND: no server has it. */
struct strobe_error *debuginfod_find(struct debuginfod *d, const char *hex, enum debuginfod_kind kind, char **ret) _must_check_;
