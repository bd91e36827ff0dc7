/*
 * Tar archives, packed or not: written from files, links and bytes; read entry by entry.
 *
 * What is written is POSIX ustar with pax records where a path or a size does not fit, so that any tar unpacks it. Read are
 * that, and GNU's long names. An archive is hostile: paths are given as they are, and it is for the caller to refuse those that
 * climb; sizes are not believed beyond the bytes that are there; names are at most 64 KB. One thread.
 * Sources: POSIX.1-2017 pax, "ustar Interchange Format"; the GNU tar manual, "Basic Tar Format".
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
/* From the position of the descriptor to the end of the file, as long as it was at the call. */
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

/* fd is borrowed and read from its position; its first bytes say how it is compressed. */
struct strobe_error *tar_reader_create(int fd, const char *name, struct tar_reader **ret) _must_check_;
/* The next entry; what was not read of the last one is skipped. */
struct strobe_error *tar_next(struct tar_reader *r, struct tar_entry *ret, bool *ret_end) _must_check_;
/* The next piece of the entry's content; *ret_n 0 = that was all. Valid until the next call. */
struct strobe_error *tar_content(struct tar_reader *r, const void **ret, size_t *ret_n) _must_check_;
void tar_reader_destroy(struct tar_reader *r);
