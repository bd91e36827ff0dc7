/*
 * Packs or unpacks a stream: bzip2, gzip, xz, zstd, or plain.
 *
 * The packing is determined by the suffix of a file name when writing, by the first bytes when reading. libbz2, zlib and liblzma are
 * loaded on first use. The output of an unpacker is as hostile as its input, and may be very much larger: the reader sets the limit.
 * One stream belongs to one thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct packing;

/* By name: "x.tar.bz2", ".tbz2", ".gz", ".xz", ".zst"; plain for any other. Never NULL. */
const struct packing *packing_by_name(const char *file_name);
/* By the first bytes of a file. Never NULL. */
const struct packing *packing_by_content(const void *p, size_t n);
/* Whether it does not compress. */
bool packing_is_plain(const struct packing *p);

/* Remaining input, and room for output; both advance. */
struct packing_io {
	const uint8_t *in;
	size_t in_bytes;
	uint8_t *out;
	size_t out_bytes;
};

/*
 * Unpacks a whole file in memory: *ret is owned by the caller, set only on success. Several consecutive streams are concatenated; trailing
 * data that is not a stream is skipped. ERROR_LIMIT if the output exceeds max_bytes, ERROR_FORMAT if the file is damaged, ERROR_TRUNCATED
 * if it ends too early. The name is for messages.
 */
struct strobe_error *packing_unpack(const struct packing *p, const void *from, size_t bytes, size_t max_bytes, const char *name,
				    void **ret, size_t *ret_bytes) _must_check_;

struct packer; /* a stream, in either direction */

struct strobe_error *packer_create(const struct packing *p, bool unpack, const char *name, struct packer **ret) _must_check_;
/*
 * Processes as much as possible. finish: no more input will follow. *ret_end: a complete stream was processed (when unpacking, another one
 * may follow). ERROR_FORMAT if the input is damaged, ERROR_TRUNCATED if it ends too early.
 */
struct strobe_error *packer_step(struct packer *s, struct packing_io *io, bool finish, bool *ret_end) _must_check_;
void packer_destroy(struct packer *s);
