#include <stdlib.h>

#include "base/mem.h"
#include "config.h"
#include "object/object_priv.h"

#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif

/* Kernel modules have some megabytes at the most; what grows beyond this is no module. */
#define UNPACKED_MAX ((size_t)256 << 20)

/* Output that grows as it is filled: the packed file does not say (or may lie about) how much it holds. */
struct unpacked {
	uint8_t *data;
	size_t bytes, cap;
};

/* Room to write to; false at the limit. */
static __attribute__((unused)) bool make_room(struct unpacked *u)
{
	if (u->bytes < u->cap)
		return true;
	if (u->cap >= UNPACKED_MAX)
		return false;
	u->cap = u->cap ? u->cap * 2 : 1 << 20;
	u->data = xreallocarray(u->data, u->cap, 1);
	return true;
}

static bool unpack_gzip(const uint8_t *from, size_t bytes, struct unpacked *u)
{
#if HAVE_ZLIB
	z_stream z = { .next_in = (Bytef *)from, .avail_in = bytes > UINT32_MAX ? UINT32_MAX : (uInt)bytes };
	int status = inflateInit2(&z, 15 + 16); /* with a gzip header */
	while (status == Z_OK && make_room(u)) {
		z.next_out = u->data + u->bytes;
		z.avail_out = (uInt)(u->cap - u->bytes);
		status = inflate(&z, Z_NO_FLUSH);
		u->bytes = u->cap - z.avail_out;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END;
#else
	return false;
#endif
}

static bool unpack_xz(const uint8_t *from, size_t bytes, struct unpacked *u)
{
#if HAVE_LZMA
	lzma_stream x = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&x, UNPACKED_MAX, 0);
	x.next_in = from;
	x.avail_in = bytes;
	while (status == LZMA_OK && make_room(u)) {
		x.next_out = u->data + u->bytes;
		x.avail_out = u->cap - u->bytes;
		status = lzma_code(&x, LZMA_FINISH);
		u->bytes = u->cap - x.avail_out;
	}
	lzma_end(&x);
	return status == LZMA_STREAM_END;
#else
	return false;
#endif
}

static bool unpack_zstd(const uint8_t *from, size_t bytes, struct unpacked *u)
{
#if HAVE_ZSTD
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { from, bytes, 0 };
	size_t status = 1;
	while (status && !ZSTD_isError(status) && make_room(u)) {
		ZSTD_outBuffer out = { u->data, u->cap, u->bytes };
		size_t before = in.pos;
		status = ZSTD_decompressStream(stream, &out, &in);
		bool stuck = in.pos == before && out.pos == u->bytes;
		u->bytes = out.pos;
		if (stuck) /* the input ended early */
			break;
	}
	ZSTD_freeDStream(stream);
	return !status;
#else
	return false;
#endif
}

static const struct packing {
	const char *name, *magic;
	size_t magic_bytes;
	bool built;
	bool (*unpack)(const uint8_t *from, size_t bytes, struct unpacked *u);
} packings[] = {
	{ "gzip", "\x1f\x8b", 2, HAVE_ZLIB, unpack_gzip },
	{ "xz", "\xfd" "7zXZ", 6, HAVE_LZMA, unpack_xz }, /* with its NUL */
	{ "zstd", "\x28\xb5\x2f\xfd", 4, HAVE_ZSTD, unpack_zstd },
};

struct strobe_error *object_unpack(const void *packed, size_t packed_bytes, const char *name, void **ret,
				   size_t *ret_bytes)
{
	*ret = NULL;
	*ret_bytes = 0;
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++) {
		const struct packing *p = &packings[i];
		if (packed_bytes < p->magic_bytes || memcmp(packed, p->magic, p->magic_bytes))
			continue;
		if (!p->built)
			return error_create(ERROR_UNSUPPORTED, "%s is packed with %s, which this build lacks", name,
					    p->name);
		struct unpacked u = {};
		if (!p->unpack(packed, packed_bytes, &u)) {
			bool too_large = u.bytes >= UNPACKED_MAX;
			free(u.data);
			return error_create(ERROR_FORMAT, "%s: its %s packing is %s", name, p->name,
					    too_large ? "too large" : "damaged");
		}
		*ret = u.data;
		*ret_bytes = u.bytes;
	}
	return NULL;
}
