/*
 * Tar archives, compressed or not: written from files, links and bytes; read entry by entry.
 *
 * Writes POSIX ustar with pax records if a path or a size does not fit, so that any tar unpacks it. Reads that, and GNU's long names.
 * Archives are hostile: paths are returned unchanged, and the caller must reject those with ".."; sizes are not trusted beyond the
 * available bytes; names are at most 64 KB. One thread. Sources: POSIX.1-2017 pax, "ustar Interchange Format"; the GNU tar manual,
 * "Basic Tar Format".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "packing/packing.h"

struct tar_writer;

/* fd is borrowed; name is for messages. */
struct strobe_error *tar_writer_create(int fd, const char *name, const struct packing *packing,
				       struct tar_writer **ret) _must_check_;
/* Adds the file from the descriptor's position to its end at the time of the call. */
struct strobe_error *tar_add_file(struct tar_writer *w, const char *path, int fd, const char *source) _must_check_;
struct strobe_error *tar_add_bytes(struct tar_writer *w, const char *path, const void *p, size_t n) _must_check_;
struct strobe_error *tar_add_link(struct tar_writer *w, const char *path, const char *target) _must_check_;
struct strobe_error *tar_writer_finish(struct tar_writer *w) _must_check_;
void tar_writer_destroy(struct tar_writer *w);

enum tar_kind { TAR_FILE, TAR_LINK, TAR_DIRECTORY, TAR_OTHER };

struct tar_entry { /* strings are valid until the next entry */
	enum tar_kind kind;
	const char *path, *target;
	uint64_t bytes;
	uint32_t mode;
};

struct tar_reader;

/* fd is borrowed and read from its position; its first bytes determine the compression. */
struct strobe_error *tar_reader_create(int fd, const char *name, struct tar_reader **ret) _must_check_;
/* The next entry; the unread content of the previous one is skipped. */
struct strobe_error *tar_next(struct tar_reader *r, struct tar_entry *ret, bool *ret_end) _must_check_;
/* The next piece of the entry's content; *ret_n 0 = the end. Valid until the next call. */
struct strobe_error *tar_content(struct tar_reader *r, const void **ret, size_t *ret_n) _must_check_;
void tar_reader_destroy(struct tar_reader *r);
