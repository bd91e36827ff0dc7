/*
 * A cache of files below $XDG_CACHE_HOME/strobe or ~/.cache/strobe.
 *
 * Only in a directory that belongs to the user and that no other user can write to (under sudo, $HOME may be another user's);
 * without one, nothing is cached, silently. Files are written atomically. Readers must check the content, which may be from
 * another version, or damaged. Safe for threads and processes. Names are relative and may contain one directory.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/filemap.h"

/* False: no such file of ours; the caller closes *ret. */
bool user_cache_map(const char *name, struct filemap *ret);
/* Replaces the file by the n pieces of v, which is modified. */
void user_cache_save(const char *name, struct iovec *v, int n);
/* Removes files of a directory, the oldest first, until at most max_bytes are left. */
void user_cache_trim(const char *folder, uint64_t max_bytes);
