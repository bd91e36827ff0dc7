/*
 * Files that recorders add to the build ID cache automatically, so that programs that are rebuilt or upgraded after a recording can still
 * be symbolised.
 *
 * Small files are copied, since they may be overwritten, others are linked. Files that would take long to copy are left out, or only
 * their symbols are stored. The oldest of these entries are removed when they take too much space. Entries added by users are not
 * touched.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct object;

/* Maximum size of all entries of recorders, without linked files that still exist. */
#define KEPT_FILES_BYTES_MAX (1ull << 30)

/* The files of one recording; zero it, except the directory. */
struct kept_files {
	const char *dir;
	uint64_t copied; /* bytes: of large files and symbols, which are limited */
	uint64_t added;  /* bytes of all entries that were added, also of linked files */
	bool any_added;
};

/*
 * Adds a file, unless the cache has the build ID or does not take such paths. pid: a process that sees the file, if we do not.
 * ERROR_NOT_FOUND if the file has been replaced, ERROR_LIMIT if it is too large.
 */
struct strobe_error *kept_files_add(struct kept_files *k, const char *hex, const char *path, uint32_t pid) _must_check_;
/* The same of a file that is open, and that nothing has a name for any more: o has that build ID. */
struct strobe_error *kept_files_add_open(struct kept_files *k, const char *hex, const char *path, struct object *o) _must_check_;
/*
 * Call it after the last one: if any was added and all may take more than bytes_max, removes the oldest entries of recorders until an
 * eighth is free. What they take is counted once a day; meanwhile what was added is added.
 */
void kept_files_limit(const struct kept_files *k, uint64_t bytes_max);
