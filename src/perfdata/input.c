#include "perfdata/input_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "config.h"
#include "packing/libzstd.h"

#define STREAM_BYTES ((size_t)1 << 18)
#define UNZIP_BYTES  ((size_t)1 << 18)
/* Maximum decompressed size of a record: recorders compress a part of one ring. Without a limit, small files could take days. */
#define UNZIP_RECORD_MAX (512ull << 20)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

struct unzip {
#if HAVE_ZSTD
	struct libzstd zstd;
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
#endif
	uint8_t *out; /* UNZIP_BYTES */
	size_t at, len;
	uint64_t produced; /* by the last record fed */
	bool drained; /* all of `in` has been decompressed to `out`: zstd fails if called repeatedly without input */
};

void input_init_map(struct input *in, const char *name, struct filemap map)
{
	input_init_mem(in, name, map.data, map.bytes);
	in->map = map;
}

void input_init_mem(struct input *in, const char *name, const void *data, size_t bytes)
{
	*in = (struct input){
		.name = xstrdup(name),
		.map.slot = -1,
		.data = data,
		.end = bytes,
		.size = bytes,
		.window = data,
		.window_bytes = bytes,
		.fd = -1,
	};
}

void input_init_stream(struct input *in, const char *name, int fd, bool close_fd)
{
	*in = (struct input){
		.name = xstrdup(name), .map.slot = -1, .end = UINT64_MAX, .fd = fd, .close_fd = close_fd
	};
}

void input_read_from(struct input *in, int fd)
{
	in->fd = fd;
	in->close_fd = in->can_seek = true;
	in->window_bytes = 0;
}

void input_deinit(struct input *in)
{
	if (in->unzip) {
#if HAVE_ZSTD
		if (in->unzip->stream)
			in->unzip->zstd.freeDStream(in->unzip->stream);
#endif
		free(in->unzip->out);
		free(in->unzip);
	}
	if (in->close_fd)
		close(in->fd);
	if (in->map.data)
		filemap_close(&in->map);
	free(in->buf);
	free(in->name);
}

static size_t at_hand(const struct input *in)
{
	uint64_t offset = in->pos - in->window_pos;
	return in->pos >= in->window_pos && offset < in->window_bytes ? (size_t)(in->window_bytes - offset) : 0;
}

/*
 * Reads n bytes from pos on into the buffer, or as many as there are. The first of them is moved to the buffer's start, so that
 * records of usual sizes are aligned whatever precedes them.
 */
static struct strobe_error *fill(struct input *in, size_t n)
{
	size_t kept = at_hand(in);

	if (kept && in->pos != in->window_pos)
		memmove(in->buf, in->window + (in->pos - in->window_pos), kept);
	in->window = in->buf;
	in->window_pos = in->pos;
	in->window_bytes = kept;
	while (in->window_bytes < n && !in->eof) {
		/* The buffer grows with the data read, never by a size that the input announces. */
		if (in->window_bytes == in->buf_cap) {
			in->buf_cap = in->buf_cap ? in->buf_cap * 2 : STREAM_BYTES;
			in->window = in->buf = xreallocarray(in->buf, in->buf_cap, 1);
		}
		uint8_t *to = in->buf + in->window_bytes;
		size_t room = in->buf_cap - in->window_bytes;
		ssize_t got = in->can_seek ? pread(in->fd, to, room, (off_t)(in->pos + in->window_bytes))
					   : read(in->fd, to, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(errno, "cannot read %s", in->name);
		in->window_bytes += (size_t)got;
		in->eof = !got;
	}
	return NULL;
}

struct strobe_error *input_peek(struct input *in, size_t n, const uint8_t **ret, size_t *ret_have)
{
	uint64_t left = in->end > in->pos ? in->end - in->pos : 0;

	if (n > left)
		n = (size_t)left;
	size_t have = at_hand(in);
	if (have < n && in->fd >= 0) {
		TRY(fill(in, n));
		have = at_hand(in);
	}
	*ret = have ? in->window + (in->pos - in->window_pos) : NULL;
	*ret_have = have < n ? have : n;
	return NULL;
}

struct strobe_error *input_skip(struct input *in, uint64_t n, uint64_t *ret_skipped)
{
	uint64_t done = 0;

	if (in->fd < 0 || in->can_seek) {
		uint64_t left = in->end > in->pos ? in->end - in->pos : 0;
		done = n < left ? n : left;
		in->pos += done;
	}
	while (in->fd >= 0 && !in->can_seek && done < n) {
		const uint8_t *p;
		size_t have;
		TRY(input_peek(in, n - done < STREAM_BYTES ? (size_t)(n - done) : STREAM_BYTES, &p, &have));
		if (!have)
			break;
		input_advance(in, have);
		done += have;
	}
	*ret_skipped = done;
	return NULL;
}

/* For the pages from pos's to the one of the end, which is included or not. */
static void advise(const struct input *in, uint64_t pos, uint64_t bytes, bool with_last, int advice)
{
	if (!in->map.data || in->map.heap || in->fd >= 0 || pos >= in->size)
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)(in->data + pos) & ~(page - 1);
	uint64_t left = in->size - pos;
	uintptr_t end = (uintptr_t)(in->data + pos) + (uintptr_t)(bytes < left ? bytes : left);
	uintptr_t to = (with_last ? end + page - 1 : end) & ~(page - 1);
	if (to > from)
		(void)madvise((void *)from, to - from, advice);
}

void input_populate(const struct input *in, uint64_t pos, uint64_t bytes)
{
	/* Only a hint: kernels before 5.14 do not support it, and page faults do the same. */
	advise(in, pos, bytes, true, MADV_POPULATE_READ);
}

void input_leave(const struct input *in, uint64_t pos, uint64_t bytes)
{
	/* The mapping is read-only and backed by a file: pages accessed again are read from the page cache. */
	advise(in, pos, bytes, false, MADV_DONTNEED);
}

#if HAVE_ZSTD

struct strobe_error *input_unzip_feed(struct input *in, const void *payload, size_t bytes)
{
	if (!in->unzip) {
		in->unzip = xcalloc(1, sizeof(*in->unzip));
		in->unzip->out = xmalloc(UNZIP_BYTES);
		TRY(error_prefix(libzstd_load(&in->unzip->zstd), "%s", in->name));
		in->unzip->stream = in->unzip->zstd.createDStream();
		if (!in->unzip->stream)
			return error_create(ERROR_LIMIT, "%s: no memory to decompress", in->name);
	}
	in->unzip->in = (ZSTD_inBuffer){ .src = payload, .size = bytes };
	in->unzip->drained = false;
	in->unzip->produced = 0;
	return NULL;
}

struct strobe_error *input_unzip_peek(struct input *in, size_t min_bytes, uint8_t **ret, size_t *ret_have)
{
	struct unzip *u = in->unzip;

	*ret = NULL;
	*ret_have = 0;
	if (!u)
		return NULL;
	if (min_bytes > UNZIP_BYTES)
		min_bytes = UNZIP_BYTES;
	while (u->len - u->at < min_bytes && !u->drained) {
		if (u->at) {
			memmove(u->out, u->out + u->at, u->len - u->at);
			u->len -= u->at;
			u->at = 0;
		}
		ZSTD_outBuffer out = { .dst = u->out, .size = UNZIP_BYTES, .pos = u->len };
		size_t rc = u->zstd.decompressStream(u->stream, &out, &u->in);
		if (u->zstd.isError(rc)) {
			u->drained = true;
			return error_create(ERROR_FORMAT, "%s: cannot decompress records: %s", in->name,
					    u->zstd.getErrorName(rc));
		}
		u->produced += out.pos - u->len;
		u->len = out.pos;
		if (u->produced > UNZIP_RECORD_MAX) {
			u->drained = true;
			return error_create(ERROR_FORMAT, "%s: a compressed record decompresses to more than %llu MB", in->name,
					    UNZIP_RECORD_MAX >> 20);
		}
		u->drained = u->in.pos == u->in.size && out.pos < out.size;
	}
	*ret = u->out + u->at;
	*ret_have = u->len - u->at;
	return NULL;
}

void input_unzip_reset(struct input *in)
{
	if (!in->unzip || !in->unzip->stream)
		return;
	in->unzip->zstd.initDStream(in->unzip->stream);
	in->unzip->in = (ZSTD_inBuffer){};
	in->unzip->drained = true;
	in->unzip->at = in->unzip->len = 0;
}

#else

struct strobe_error *input_unzip_feed(struct input *in, const void *payload, size_t bytes)
{
	return error_create(ERROR_UNSUPPORTED, "%s is compressed with zstd, which is not built in (libzstd)", in->name);
}

struct strobe_error *input_unzip_peek(struct input *in, size_t min_bytes, uint8_t **ret, size_t *ret_have)
{
	*ret = NULL;
	*ret_have = 0;
	return NULL;
}

void input_unzip_reset(struct input *in)
{
}

#endif

void input_unzip_advance(struct input *in, size_t n)
{
	in->unzip->at += n;
}
