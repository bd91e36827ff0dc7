#include "exchange/gzip.h"

#include <stdlib.h>

#include "base/mem.h"
#include "config.h"

bool gzip_is(const uint8_t *p, size_t n)
{
	return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

#if HAVE_ZLIB
#include <zlib.h>
#if HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip header */

/* What one call of zlib takes at the most: its counts are 32 bits wide. */
static uInt chunk(size_t n)
{
	return n > 1u << 30 ? 1u << 30 : (uInt)n;
}

/* The length that the last member says it has, modulo 2^32: a good first guess where it is within reason. */
static size_t promised_bytes(const uint8_t *p, size_t n, size_t max_bytes)
{
	uint32_t length = 0;
	if (n >= 18)
		memcpy(&length, p + n - 4, 4);
	size_t most = n > max_bytes / 16 ? max_bytes : n * 16;
	size_t least = n < 4096 ? 4096 : n;
	return length > least && length <= most ? length + 1 : least;
}

#if HAVE_LIBDEFLATE
/* One member whose length is what it says, as nearly all are; anything else is zlib's, and its messages too. */
static bool unpack_at_once(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	size_t promised = promised_bytes(p, n, max_bytes), cap = promised < max_bytes ? promised : max_bytes, taken = 0, made = 0;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	uint8_t *data = xmalloc(cap);
	bool is_done = d && libdeflate_gzip_decompress_ex(d, p, n, data, cap, &taken, &made) ==
		LIBDEFLATE_SUCCESS && taken == n;
	libdeflate_free_decompressor(d);
	if (is_done) {
		*ret = data;
		*ret_n = made;
	} else {
		free(data);
	}
	return is_done;
}

struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
	if (!c)
		return error_create(ERROR_OTHER, "cannot start libdeflate");
	size_t room = libdeflate_gzip_compress_bound(c, n);
	out->len += libdeflate_gzip_compress(c, p, n, out_reserve(out, room), room);
	libdeflate_free_compressor(c);
	return NULL;
}
#else
static bool unpack_at_once(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	return false;
}
#endif

struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	if (unpack_at_once(p, n, max_bytes, ret, ret_n))
		return NULL;
	z_stream z = {};
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return error_create(ERROR_OTHER, "cannot start zlib");
	size_t cap = promised_bytes(p, n, max_bytes), used = 0, taken = 0;
	uint8_t *data = xmalloc(cap);
	int status = Z_OK;
	while (status == Z_OK && used <= max_bytes) {
		if (used == cap) {
			cap = cap < max_bytes / 2 ? cap * 2 : max_bytes + 1;
			data = xreallocarray(data, cap, 1);
		}
		z.next_in = (Bytef *)p + taken;
		z.avail_in = chunk(n - taken);
		z.next_out = data + used;
		z.avail_out = chunk(cap - used);
		status = inflate(&z, Z_NO_FLUSH);
		taken = (size_t)(z.next_in - p);
		used = (size_t)(z.next_out - data);
		if (status == Z_STREAM_END && gzip_is(p + taken, n - taken))
			status = inflateReset(&z); /* another member */
	}
	inflateEnd(&z);
	if (status == Z_STREAM_END && used <= max_bytes) {
		*ret = data;
		*ret_n = used;
		return NULL;
	}
	free(data);
	if (used > max_bytes)
		return error_create(ERROR_LIMIT, "it unpacks to more than %zu MB", max_bytes >> 20);
	return error_create(ERROR_FORMAT, "its gzip packing is %s", status == Z_BUF_ERROR ? "cut short" : "damaged");
}

#if !HAVE_LIBDEFLATE
struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out)
{
	z_stream z = {};
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return error_create(ERROR_OTHER, "cannot start zlib");
	size_t taken = 0;
	int status = Z_OK;
	while (status == Z_OK) {
		z.next_in = (Bytef *)p + taken;
		z.avail_in = chunk(n - taken);
		uInt room = 1 << 16;
		z.next_out = (Bytef *)out_reserve(out, room);
		z.avail_out = room;
		status = deflate(&z, taken + z.avail_in == n ? Z_FINISH : Z_NO_FLUSH);
		taken = (size_t)(z.next_in - (const Bytef *)p);
		out->len += room - z.avail_out;
	}
	deflateEnd(&z);
	return status == Z_STREAM_END ? NULL : error_create(ERROR_OTHER, "zlib fails with %d", status);
}
#endif
#else
struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	return error_create(ERROR_UNSUPPORTED, "it is packed with gzip, which this build lacks (build with zlib)");
}

struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out)
{
	return error_create(ERROR_UNSUPPORTED, "this build cannot pack with gzip (build with zlib)");
}
#endif
