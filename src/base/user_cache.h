/*
 * What can be made again, kept for the next time: files below $XDG_CACHE_HOME/strobe or ~/.cache/strobe.
 *
 * Only in a directory that belongs to the user and that no other user can write to (under sudo, $HOME may be another user's);
 * without one, nothing is kept and nothing is said. A file is there whole or not at all. What is in it is checked by whoever
 * reads it, as the content of any file is: it may be of another version, or damaged. Safe for threads and among processes.
 * Names are relative and may have one folder in them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/filemap.h"

/* False if there is none that is ours; *ret is to be closed. */
bool user_cache_map(const char *name, struct filemap *ret);
/* Replaces the file by the n pieces of v, which are changed. */
void user_cache_save(const char *name, struct iovec *v, int n);
/* Removes files of a folder, the oldest first, until what is left has max_bytes at the most. */
void user_cache_trim(const char *folder, uint64_t max_bytes);
