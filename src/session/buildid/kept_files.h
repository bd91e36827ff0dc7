/*
 * Files that recorders put into the build ID cache by themselves, so that what is rebuilt or upgraded after a recording can still be
 * named.
 *
 * A copy where it is small, as the file itself may be written over, else a link. What would take a long copy is left out, or
 * its symbols are kept alone, and the oldest of these entries go when they take too much room. Entries that users add are left alone.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct object;

/* What all entries of recorders may take that is nowhere else. */
#define KEPT_FILES_BYTES_MAX (1ull << 30)

/* Those of one recording; zeroed but for the directory. */
struct kept_files {
	const char *dir;
	uint64_t copied; /* bytes: of large files and symbols, which are limited */
	bool any_added;
};

/*
 * Nothing where the cache has the build ID, or where it cannot have such a path. pid: a process that sees the file, where we do not.
 * ERROR_NOT_FOUND where the file has been replaced, ERROR_LIMIT where it is too large.
 */
struct strobe_error *kept_files_add(struct kept_files *k, const char *hex, const char *path, uint32_t pid) _must_check_;
/* The same of a file that is open, and that nothing has a name for any more: o has that build ID. */
struct strobe_error *kept_files_add_open(struct kept_files *k, const char *hex, const char *path, struct object *o) _must_check_;
/* After the last one: where any was added, takes the oldest entries of recorders out until they keep to bytes_max. */
void kept_files_limit(const struct kept_files *k, uint64_t bytes_max);
