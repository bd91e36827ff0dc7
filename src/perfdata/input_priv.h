/*
 * The bytes of one part of a recording: a mapping, memory, a file that is read, or a stream, and the data decompressed from it.
 *
 * Private to this room. A position counts from the start of the file or stream. Returned bytes stay valid until the next call
 * that peeks or skips; those of a mapping or memory as long as the input lives.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/filemap.h"

struct unzip;

struct input {
	char *name;            /* for messages */
	struct filemap map;
	const uint8_t *data;   /* the whole file, mapped or in memory; NULL for a stream */
	uint64_t start, pos, end; /* end: where records end; UINT64_MAX for a stream */
	uint64_t size;         /* of the whole file, 0 for a stream */

	/* The window: bytes from window_pos on. The whole file, or the part read. */
	const uint8_t *window;
	uint64_t window_pos;
	size_t window_bytes;

	int fd;                /* file to read instead of mapping it; else -1 */
	bool close_fd, can_seek, eof;
	uint8_t *buf;
	size_t buf_cap;

	struct unzip *unzip;   /* set by the first compressed record */
	uint64_t unzip_from;   /* offset of the last compressed record, which is also that of its contents */
};

/* Takes ownership of the mapping. */
void input_init_map(struct input *in, const char *name, struct filemap map);
void input_init_mem(struct input *in, const char *name, const void *data, size_t bytes);
/* close_fd: close fd at the end. */
void input_init_stream(struct input *in, const char *name, int fd, bool close_fd);
/* From now on read the file, instead of using its mapping. Takes ownership of fd. */
void input_read_from(struct input *in, int fd);
void input_deinit(struct input *in);

/* Up to n contiguous bytes from pos on; *ret_have is their number (fewer only at the end of the input). */
struct strobe_error *input_peek(struct input *in, size_t n, const uint8_t **ret, size_t *ret_have) _must_check_;
/* Skips bytes returned by input_peek(); they stay valid until the next peek. */
static inline void input_advance(struct input *in, size_t n)
{
	in->pos += n;
}
/* Skips any number of bytes; *ret_skipped is less than n if the input ends. */
struct strobe_error *input_skip(struct input *in, uint64_t n, uint64_t *ret_skipped) _must_check_;
/* Announces to the kernel that bytes from pos on will be read, to avoid a fault for each page. */
void input_populate(const struct input *in, uint64_t pos, uint64_t bytes);
void input_leave(const struct input *in, uint64_t pos, uint64_t bytes);

/* Feeds a compressed record: one zstd stream spans all of them. */
struct strobe_error *input_unzip_feed(struct input *in, const void *payload, size_t bytes) _must_check_;
/*
 * Returns the bytes decompressed so far, at least `min_bytes` if available; they stay valid until the next call. Fed payload must
 * stay valid until this has returned fewer than requested.
 */
struct strobe_error *input_unzip_peek(struct input *in, size_t min_bytes, uint8_t **ret, size_t *ret_have) _must_check_;
void input_unzip_advance(struct input *in, size_t n);
void input_unzip_reset(struct input *in);
