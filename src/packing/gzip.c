#include "packing/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "config.h"
#include "packing/packing.h"
#include "packing/packing_priv.h"

#if HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

bool gzip_is(const uint8_t *p, size_t n)
{
	return n >= packing_gzip.magic_bytes && !memcmp(p, packing_gzip.magic, packing_gzip.magic_bytes);
}

#if HAVE_LIBDEFLATE
/* libdeflate, loaded on first use. */
struct deflate {
	struct libdeflate_decompressor *(*alloc_decompressor)(void);
	void (*free_decompressor)(struct libdeflate_decompressor *d);
	enum libdeflate_result (*unpack_gzip)(struct libdeflate_decompressor *d, const void *p, size_t n, void *to, size_t to_bytes,
					      size_t *ret_taken, size_t *ret_made);
	enum libdeflate_result (*unpack_zlib)(struct libdeflate_decompressor *d, const void *p, size_t n, void *to, size_t to_bytes,
					      size_t *ret_made);
	struct libdeflate_compressor *(*alloc_compressor)(int level);
	void (*free_compressor)(struct libdeflate_compressor *c);
	size_t (*pack_bound)(struct libdeflate_compressor *c, size_t n);
	size_t (*pack)(struct libdeflate_compressor *c, const void *p, size_t n, void *to, size_t to_bytes);
};

/* False: it is not installed. */
static bool load_deflate(struct deflate *ret)
{
	static const struct library library = { .files = { "libdeflate.so.0" } };
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&ret->alloc_decompressor, libdeflate_alloc_decompressor),
		LIBRARY_SYMBOL(&ret->free_decompressor, libdeflate_free_decompressor),
		LIBRARY_SYMBOL(&ret->unpack_gzip, libdeflate_gzip_decompress_ex),
		LIBRARY_SYMBOL(&ret->unpack_zlib, libdeflate_zlib_decompress),
		LIBRARY_SYMBOL(&ret->alloc_compressor, libdeflate_alloc_compressor),
		LIBRARY_SYMBOL(&ret->free_compressor, libdeflate_free_compressor),
		LIBRARY_SYMBOL(&ret->pack_bound, libdeflate_gzip_compress_bound),
		LIBRARY_SYMBOL(&ret->pack, libdeflate_gzip_compress),
	};
	struct strobe_error *err = library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
	error_destroy(err);
	return !err;
}

/* The length in the last member's trailer, modulo 2^32: a good first guess if it is plausible. */
static size_t promised_bytes(const uint8_t *p, size_t n, size_t max_bytes)
{
	uint32_t length = 0;
	if (n >= 18)
		memcpy(&length, p + n - 4, 4);
	size_t most = n > max_bytes / 16 ? max_bytes : n * 16;
	size_t least = n < 4096 ? 4096 : n;
	size_t promised = length > least && length <= most ? length + (size_t)1 : least;
	return promised < max_bytes ? promised : max_bytes;
}

/* Handles a single member with a correct length, the usual case; all else, including error messages, is left to zlib. */
static bool unpack_at_once(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	struct deflate deflate;
	if (!load_deflate(&deflate))
		return false;
	size_t cap = promised_bytes(p, n, max_bytes), taken = 0, made = 0;
	struct libdeflate_decompressor *d = deflate.alloc_decompressor();
	uint8_t *data = xmalloc(cap);
	bool is_done = d && deflate.unpack_gzip(d, p, n, data, cap, &taken, &made) == LIBDEFLATE_SUCCESS && taken == n;
	deflate.free_decompressor(d);
	if (is_done) {
		*ret = data;
		*ret_n = made;
	} else {
		free(data);
	}
	return is_done;
}

/* False: libdeflate is not there. */
static bool pack_at_once(const void *p, size_t n, struct out *out)
{
	struct deflate deflate;
	struct libdeflate_compressor *c = load_deflate(&deflate) ? deflate.alloc_compressor(1) : NULL;
	if (!c)
		return false;
	size_t room = deflate.pack_bound(c, n);
	out->len += deflate.pack(c, p, n, out_reserve(out, room), room);
	deflate.free_compressor(c);
	return true;
}

/* The same; *ret_whole as of zlib_unpack(). */
static bool unpack_zlib_at_once(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole)
{
	struct deflate deflate;
	struct libdeflate_decompressor *d = load_deflate(&deflate) ? deflate.alloc_decompressor() : NULL;
	if (!d)
		return false;
	*ret_whole = deflate.unpack_zlib(d, p, n, to, to_bytes, NULL) == LIBDEFLATE_SUCCESS;
	deflate.free_decompressor(d);
	return true;
}
#else
static bool unpack_at_once(const uint8_t *p, size_t n, size_t max_bytes, uint8_t **ret, size_t *ret_n)
{
	return false;
}

static bool pack_at_once(const void *p, size_t n, struct out *out)
{
	return false;
}

static bool unpack_zlib_at_once(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole)
{
	return false;
}
#endif

#define ROOM 65536

struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out)
{
	struct packing_io io = { .in = p, .in_bytes = n };
	struct packer *s;
	struct strobe_error *err = NULL;
	bool is_end = false;
	if (pack_at_once(p, n, out))
		return NULL;
	TRY(packer_create(&packing_gzip, false, "output", &s));
	while (!err && !is_end) {
		io.out = (uint8_t *)out_reserve(out, ROOM);
		io.out_bytes = ROOM;
		err = packer_step(s, &io, true, &is_end);
		out->len += ROOM - io.out_bytes;
	}
	packer_destroy(s);
	return err;
}

struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, const char *name, uint8_t **ret, size_t *ret_n)
{
	void *data;
	if (unpack_at_once(p, n, max_bytes, ret, ret_n))
		return NULL;
	TRY(packing_unpack(&packing_gzip, p, n, max_bytes, name, &data, ret_n));
	*ret = data;
	return NULL;
}

struct strobe_error *zlib_unpack(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole)
{
	return unpack_zlib_at_once(p, n, to, to_bytes, ret_whole) ? NULL : packing_unpack_zlib(p, n, to, to_bytes, ret_whole);
}
