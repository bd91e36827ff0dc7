/* gzip as a stream, by zlib, which is loaded on first use. */
#include <stdlib.h>

#include "base/library.h"
#include "base/mem.h"
#include "config.h"
#include "packing/packing_priv.h"

#if HAVE_ZLIB
#include <zlib.h>

#define GZIP_BITS (15 + 16) /* the largest window, and gzip's header */

/* deflateInit2() and inflateInit2() are macros for these two. */
struct gzip {
	z_stream z;
	bool unpack;
	int (*deflate_init)(z_stream *z, int level, int method, int bits, int memory, int strategy, const char *version, int bytes);
	int (*deflate)(z_stream *z, int flush);
	int (*deflate_end)(z_stream *z);
	int (*inflate_init)(z_stream *z, int bits, const char *version, int bytes);
	int (*inflate)(z_stream *z, int flush);
	int (*inflate_reset)(z_stream *z);
	int (*inflate_end)(z_stream *z);
};

static const struct library zlib = {
	.files = { "libz.so.1" },
	.missing = "gzip compression requires zlib, which is not installed",
};

static struct strobe_error *load_zlib(struct gzip *g)
{
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&g->deflate_init, deflateInit2_), LIBRARY_SYMBOL(&g->deflate, deflate),
		LIBRARY_SYMBOL(&g->deflate_end, deflateEnd),	 LIBRARY_SYMBOL(&g->inflate_init, inflateInit2_),
		LIBRARY_SYMBOL(&g->inflate, inflate),		 LIBRARY_SYMBOL(&g->inflate_reset, inflateReset),
		LIBRARY_SYMBOL(&g->inflate_end, inflateEnd),
	};
	return library_load(&zlib, symbols, sizeof(symbols) / sizeof(*symbols));
}

static bool begin_zlib(struct gzip *g)
{
	int bytes = (int)sizeof(g->z);
	if (g->unpack)
		return g->inflate_init(&g->z, GZIP_BITS, ZLIB_VERSION, bytes) == Z_OK;
	return g->deflate_init(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, bytes) == Z_OK;
}

static struct strobe_error *gzip_create(bool unpack, void **ret)
{
	struct gzip *g = xcalloc(1, sizeof(*g));
	struct strobe_error *err = load_zlib(g);
	g->unpack = unpack;
	if (!err && !begin_zlib(g))
		err = error_create(ERROR_OTHER, "cannot initialize zlib");
	if (err) {
		free(g);
		return err;
	}
	*ret = g;
	return NULL;
}

static unsigned clamp(size_t n)
{
	return n < 1 << 30 ? (unsigned)n : 1 << 30;
}

static enum packing_step gzip_step(void *state, struct packing_io *io, bool finish)
{
	struct gzip *g = state;
	unsigned in = clamp(io->in_bytes), out = clamp(io->out_bytes);
	g->z.next_in = (Bytef *)io->in;
	g->z.avail_in = in;
	g->z.next_out = io->out;
	g->z.avail_out = out;
	int status = g->unpack ? g->inflate(&g->z, Z_NO_FLUSH) :
				 g->deflate(&g->z, finish && in == io->in_bytes ? Z_FINISH : Z_NO_FLUSH);
	io->in += in - g->z.avail_in;
	io->in_bytes -= in - g->z.avail_in;
	io->out += out - g->z.avail_out;
	io->out_bytes -= out - g->z.avail_out;
	if (status == Z_STREAM_END && g->unpack)
		g->inflate_reset(&g->z);
	return status == Z_STREAM_END ? PACKING_END : status == Z_OK || status == Z_BUF_ERROR ? PACKING_MORE : PACKING_DAMAGED;
}

static void gzip_destroy(void *state, bool unpack)
{
	struct gzip *g = state;
	if (unpack)
		g->inflate_end(&g->z);
	else
		g->deflate_end(&g->z);
	free(g);
}

struct strobe_error *packing_unpack_zlib(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole)
{
	int (*unpack)(Bytef *to, uLongf *to_bytes, const Bytef *p, uLong n);
	const struct library_symbol symbol = LIBRARY_SYMBOL(&unpack, uncompress);
	uLongf got = to_bytes;
	TRY(library_load(&zlib, &symbol, 1));
	*ret_whole = unpack(to, &got, p, n) == Z_OK && got == to_bytes;
	return NULL;
}
#else
struct strobe_error *packing_unpack_zlib(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole)
{
	return error_create(ERROR_UNSUPPORTED, "zlib compression is not built in");
}

static struct strobe_error *gzip_create(bool unpack, void **ret)
{
	return error_create(ERROR_UNSUPPORTED, "gzip compression is not built in");
}
#define gzip_step    NULL
#define gzip_destroy NULL
#endif

const struct packing packing_gzip = {
	.name = "gzip",
	.suffixes = { ".gz", ".tgz" },
	.magic = "\x1f\x8b",
	.magic_bytes = 2,
	.create = gzip_create,
	.step = gzip_step,
	.destroy = gzip_destroy,
};
