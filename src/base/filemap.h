/*
 * A guarded read-only mapping of a file: if the file is truncated meanwhile, its pages read as zeros, and the mapping
 * records that, instead of a SIGBUS.
 *
 * cmd/ installs the handler once (filemap_install_guard); mappings register themselves in a fixed list that the handler
 * reads without locks. Without the handler a shrunken file is fatal, as usual. Mapping and unmapping are thread-safe.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Identifies a file and its state; all 0: not a file on a disk. */
struct filemap_identity {
	uint64_t device, inode, bytes;
	uint64_t modified_ns, changed_ns;
};

struct filemap {
	const uint8_t *data; /* NULL for an empty file */
	size_t bytes;
	int slot;            /* in the guard's list; -1 when not guarded */
	bool heap;           /* read into memory: not a regular file */
	struct filemap_identity identity;
};

void filemap_install_guard(void);
/* Maps all of path read-only. procfs-like files of size 0 are read into memory, up to 1 GB. */
struct strobe_error *filemap_open(struct filemap *m, const char *path) _must_check_;
/* The same for an open file; fd is borrowed. name is for messages. */
struct strobe_error *filemap_open_fd(struct filemap *m, int fd, const char *name) _must_check_;
void filemap_close(struct filemap *m);
/* A descriptor of the mapped file, for the caller to close; -1: name is another file by now, or the mapping has no file. */
int filemap_reopen(const struct filemap *m, const char *name);
/* Releases the pages of a mapping that is not read for a while. */
void filemap_rest(const struct filemap *m);
/* The same for complete pages between two offsets. */
void filemap_rest_part(const struct filemap *m, size_t from, size_t end);
/* True if a page was missing since the file was truncated. */
bool filemap_shrunk(const struct filemap *m);
