/*
 * A file mapped for reading, guarded: where the file shrinks under the reader, the pages read as zeros and the mapping
 * remembers it, instead of a SIGBUS.
 *
 * cmd/ installs the handler once (filemap_install_guard); mappings register themselves in a fixed list that the handler
 * reads without locks. Without the handler a shrunken file is fatal, as usual. Mapping and unmapping are thread-safe.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Which file, in which state: all 0 for what is not a file of a disk. */
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
/* Maps path whole and read-only. procfs-like files of size 0 are read into memory up to a limit of 1 GB. */
struct strobe_error *filemap_open(struct filemap *m, const char *path) _must_check_;
/* The same for an open file; fd is borrowed. name is for messages. */
struct strobe_error *filemap_open_fd(struct filemap *m, int fd, const char *name) _must_check_;
void filemap_close(struct filemap *m);
/* A descriptor of the mapped file, for the caller to close; -1 where name is another file by now, or the mapping has none. */
int filemap_reopen(const struct filemap *m, const char *name);
/* It is not read for a while: its pages leave this process until they are. */
void filemap_rest(const struct filemap *m);
/* The same for the pages that lie whole between two offsets. */
void filemap_rest_part(const struct filemap *m, size_t from, size_t end);
/* True where a page of the mapping was found to be gone. */
bool filemap_shrunk(const struct filemap *m);
