/*
 * Writes a file atomically.
 *
 * It is written without a name if the file system supports that (O_TMPFILE), so that it vanishes however the process ends;
 * elsewhere under a temporary name beside its final one. Readers of an older file see the old or the new one; a device or a
 * pipe, and paths below /dev or /proc, are written in place. One thread at a time; errors name the path.
 * Sources: open(2), linkat(2), rename(2).
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"

struct new_file {
	int fd;          /* for writing and reading; borrowed */
	char *path;
	char *temporary; /* temporary name; NULL: none */
	bool as_it_is;   /* a device, pipe, socket or open file, which is written directly */
};

#define NEW_FILE_NONE ((struct new_file){ .fd = -1 })

/* The directory must exist. */
struct strobe_error *new_file_create(const char *path, struct new_file *ret) _must_check_;
/* Finishes the file: sets this mode, regardless of the umask, and its name. Call it once. */
struct strobe_error *new_file_keep(struct new_file *f, mode_t mode) _must_check_;
/* The same under another name in the same file system, for content that must be checked first. */
struct strobe_error *new_file_keep_as(struct new_file *f, const char *path, mode_t mode) _must_check_;
/* All of it at once. */
struct strobe_error *new_file_write(const char *path, const void *p, size_t n, mode_t mode) _must_check_;
/*
 * The same with content from write(); on its error the old file is kept; "-" is standard output. The file has mode 0600, or that of an
 * existing one.
 */
struct out;
struct strobe_error *new_file_write_by(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out),
				       void *ctx) _must_check_;
/* Closes it; an unfinished file is removed. */
void new_file_deinit(struct new_file *f);

#define _cleanup_new_file_ _cleanup_(new_file_deinit)
