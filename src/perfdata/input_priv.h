/*
 * The bytes of one part of a recording: a mapping, memory, a file that is read, or a stream, with what is decompressed from
 * it on top.
 *
 * Private to this room. A position counts from the start of the file or stream. Bytes given stay valid until the next call
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

	/* The window: bytes from window_pos on. All of the file, or what was read of it. */
	const uint8_t *window;
	uint64_t window_pos;
	size_t window_bytes;

	int fd;                /* what is read instead of mapped; else -1 */
	bool close_fd, can_seek, eof;
	uint8_t *buf;
	size_t buf_cap;

	struct unzip *unzip;   /* once a compressed record was met */
	uint64_t unzip_from;   /* where the last one is: its records have this offset, too */
};

/* Takes the mapping over. */
void input_init_map(struct input *in, const char *name, struct filemap map);
void input_init_mem(struct input *in, const char *name, const void *data, size_t bytes);
/* fd is closed in the end where close_fd. */
void input_init_stream(struct input *in, const char *name, int fd, bool close_fd);
/* From here on the file is read, not looked at in its mapping. fd is taken over. */
void input_read_from(struct input *in, int fd);
void input_deinit(struct input *in);

/* Up to n bytes from pos on in one piece; *ret_have says how many there are (fewer only where the input ends). */
struct strobe_error *input_peek(struct input *in, size_t n, const uint8_t **ret, size_t *ret_have) _must_check_;
/* Steps over bytes that input_peek() gave; they stay valid until the next peek. */
static inline void input_advance(struct input *in, size_t n)
{
	in->pos += n;
}
/* Steps over n bytes, however many; *ret_skipped is less where the input ends. */
struct strobe_error *input_skip(struct input *in, uint64_t n, uint64_t *ret_skipped) _must_check_;
/* Announces to the kernel that bytes from pos on will be read, so that they cost no fault each. */
void input_populate(const struct input *in, uint64_t pos, uint64_t bytes);
void input_leave(const struct input *in, uint64_t pos, uint64_t bytes);

/* Compressed records: one zstd stream runs through all of them. */
struct strobe_error *input_unzip_feed(struct input *in, const void *payload, size_t bytes) _must_check_;
/*
 * The bytes decompressed so far, at least `min_bytes` of them where there are; ret stays valid until the next call. Payload fed
 * must stay valid until this returned fewer than requested.
 */
struct strobe_error *input_unzip_peek(struct input *in, size_t min_bytes, uint8_t **ret, size_t *ret_have) _must_check_;
void input_unzip_advance(struct input *in, size_t n);
void input_unzip_reset(struct input *in);
