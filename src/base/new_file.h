/*
 * A file that is there when it is whole, or not at all.
 *
 * It is written without a name where the file system can do that (O_TMPFILE), so that nothing stays behind however the
 * process ends; elsewhere under a name of its own beside the one that it will have. Readers of an older file of that name
 * see the old one or the new one; a device or a pipe of that name, and whatever is named below /dev or /proc, is written in
 * place. One thread at a time; errors name the path.
 * Sources: open(2), linkat(2), rename(2).
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"

struct new_file {
	int fd;          /* to be written and read; borrowed */
	char *path;
	char *temporary; /* the name it has; NULL: none */
	bool as_it_is;   /* a device, pipe, socket or open file of that name: bytes go there at once */
};

#define NEW_FILE_NONE ((struct new_file){ .fd = -1 })

/* Its folder has to be there. */
struct strobe_error *new_file_create(const char *path, struct new_file *ret) _must_check_;
/* It is whole: it gets this mode, whatever the umask is, and its name. Once. */
struct strobe_error *new_file_keep(struct new_file *f, mode_t mode) _must_check_;
/* The same under another name of the same file system: for content that has to be checked before it may have its place. */
struct strobe_error *new_file_keep_as(struct new_file *f, const char *path, mode_t mode) _must_check_;
/* All of it at once. */
struct strobe_error *new_file_write(const char *path, const void *p, size_t n, mode_t mode) _must_check_;
/*
 * The same by write(), whose error leaves what was there before; "-" is standard output. The file is private (0600) unless one of
 * that name had another mode.
 */
struct out;
struct strobe_error *new_file_write_by(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out),
				       void *ctx) _must_check_;
/* Closes it; what was not kept is gone. */
void new_file_deinit(struct new_file *f);

#define _cleanup_new_file_ _cleanup_(new_file_deinit)
