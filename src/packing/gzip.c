#include "packing/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "config.h"
#include "packing/packing.h"
#include "packing/packing_priv.h"

bool gzip_is(const uint8_t *p, size_t n)
{
	return n >= packing_gzip.magic_bytes && !memcmp(p, packing_gzip.magic, packing_gzip.magic_bytes);
}

#if HAVE_LIBDEFLATE
#include <libdeflate.h>

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
	size_t cap = promised_bytes(p, n, max_bytes), taken = 0, made = 0;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	uint8_t *data = xmalloc(cap);
	bool is_done = d && libdeflate_gzip_decompress_ex(d, p, n, data, cap, &taken, &made) == LIBDEFLATE_SUCCESS && taken == n;
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
		return error_create(ERROR_OTHER, "cannot initialize libdeflate");
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

#define ROOM 65536

struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out)
{
	struct packing_io io = { .in = p, .in_bytes = n };
	struct packer *s;
	struct strobe_error *err = NULL;
	bool is_end = false;
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
#endif

struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, const char *name, uint8_t **ret, size_t *ret_n)
{
	void *data;
	if (unpack_at_once(p, n, max_bytes, ret, ret_n))
		return NULL;
	TRY(packing_unpack(&packing_gzip, p, n, max_bytes, name, &data, ret_n));
	*ret = data;
	return NULL;
}
