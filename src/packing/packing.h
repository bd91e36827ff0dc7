/*
 * A stream packed or unpacked on its way: bzip2, gzip, xz, zstd, or not at all.
 *
 * A packing is known by the end of a file's name when writing, by its first bytes when reading. libbz2 is loaded on first use.
 * What comes out of an unpacker is as hostile as what goes in, and may be very much larger: the reader sets the limit. One
 * stream belongs to one thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct packing;

/* By name: "x.tar.bz2", ".tbz2", ".gz", ".xz", ".zst"; a plain one for any other. Never NULL. */
const struct packing *packing_by_name(const char *file_name);
/* By the first bytes of a file. Never NULL. */
const struct packing *packing_by_content(const void *p, size_t n);
/* What is not packed. */
bool packing_is_plain(const struct packing *p);

/* Bytes of either side that are still to be taken or filled; both move. */
struct packing_io {
	const uint8_t *in;
	size_t in_bytes;
	uint8_t *out;
	size_t out_bytes;
};

/*
 * All of a file that is in memory: *ret is the caller's, set on success alone. More than one stream, one after the other, are
 * one; what follows and is not a stream is skipped. ERROR_LIMIT if it holds more than max_bytes, ERROR_FORMAT if it is
 * damaged, ERROR_TRUNCATED if it ends too early. The name is for messages.
 */
struct strobe_error *packing_unpack(const struct packing *p, const void *from, size_t bytes, size_t max_bytes, const char *name,
				    void **ret, size_t *ret_bytes) _must_check_;

struct packer; /* a stream, in either direction */

struct strobe_error *packer_create(const struct packing *p, bool unpack, const char *name, struct packer **ret) _must_check_;
/*
 * Moves what it can. finish: no more input will come. *ret_end: a whole stream is through (of one that is packed; further
 * input may be another). ERROR_FORMAT if the input is damaged, ERROR_TRUNCATED if it ends too early.
 */
struct strobe_error *packer_step(struct packer *s, struct packing_io *io, bool finish, bool *ret_end) _must_check_;
void packer_destroy(struct packer *s);
