/* gzip, xz and zstd, if their headers exist at build time. zlib and liblzma are loaded on first use; zstd is linked, as in perfdata/. */
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "packing/packing_priv.h"
#include "config.h"

#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif

#define XZ_MEMORY_MAX ((uint64_t)256 << 20)
#define XZ_LEVEL      6
#define ZSTD_LEVEL    9

static __attribute__((unused)) struct strobe_error *lacking(const char *what)
{
	return error_create(ERROR_UNSUPPORTED, "%s compression is not built in", what);
}

static __attribute__((unused)) unsigned clamp(size_t n)
{
	return n < 1 << 30 ? (unsigned)n : 1 << 30;
}

#if HAVE_ZLIB
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

static struct strobe_error *load_zlib(struct gzip *g)
{
	static const struct library library = {
		.files = { "libz.so.1" },
		.missing = "gzip compression requires zlib, which is not installed",
	};
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&g->deflate_init, deflateInit2_), LIBRARY_SYMBOL(&g->deflate, deflate),
		LIBRARY_SYMBOL(&g->deflate_end, deflateEnd),	 LIBRARY_SYMBOL(&g->inflate_init, inflateInit2_),
		LIBRARY_SYMBOL(&g->inflate, inflate),		 LIBRARY_SYMBOL(&g->inflate_reset, inflateReset),
		LIBRARY_SYMBOL(&g->inflate_end, inflateEnd),
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
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
#else
static struct strobe_error *gzip_create(bool unpack, void **ret)
{
	return lacking("gzip");
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

#if HAVE_LZMA
struct xz {
	lzma_stream stream;
	lzma_ret (*decoder)(lzma_stream *stream, uint64_t memory_max, uint32_t flags);
	lzma_ret (*encoder)(lzma_stream *stream, uint32_t level, lzma_check check);
	lzma_ret (*code)(lzma_stream *stream, lzma_action action);
	void (*end)(lzma_stream *stream);
};

static struct strobe_error *load_lzma(struct xz *x)
{
	static const struct library library = {
		.files = { "liblzma.so.5" },
		.missing = "xz compression requires liblzma, which is not installed",
	};
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&x->decoder, lzma_stream_decoder),
		LIBRARY_SYMBOL(&x->encoder, lzma_easy_encoder),
		LIBRARY_SYMBOL(&x->code, lzma_code),
		LIBRARY_SYMBOL(&x->end, lzma_end),
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

static bool begin_lzma(struct xz *x, bool unpack)
{
	return (unpack ? x->decoder(&x->stream, XZ_MEMORY_MAX, 0) : x->encoder(&x->stream, XZ_LEVEL, LZMA_CHECK_CRC64)) == LZMA_OK;
}

static struct strobe_error *xz_create(bool unpack, void **ret)
{
	struct xz *x = xcalloc(1, sizeof(*x));
	x->stream = (lzma_stream)LZMA_STREAM_INIT;
	struct strobe_error *err = load_lzma(x);
	if (!err && !begin_lzma(x, unpack))
		err = error_create(ERROR_OTHER, "cannot initialize liblzma");
	if (err) {
		free(x);
		return err;
	}
	*ret = x;
	return NULL;
}

static enum packing_step xz_step(void *state, struct packing_io *io, bool finish)
{
	struct xz *x = state;
	lzma_stream *s = &x->stream;
	s->next_in = io->in;
	s->avail_in = io->in_bytes;
	s->next_out = io->out;
	s->avail_out = io->out_bytes;
	lzma_ret status = x->code(s, finish ? LZMA_FINISH : LZMA_RUN);
	io->in = s->next_in;
	io->in_bytes = s->avail_in;
	io->out = s->next_out;
	io->out_bytes = s->avail_out;
	return status == LZMA_STREAM_END ? PACKING_END :
	       status == LZMA_OK || status == LZMA_BUF_ERROR ? PACKING_MORE : PACKING_DAMAGED;
}

static void xz_destroy(void *state, bool unpack)
{
	struct xz *x = state;
	(void)unpack;
	x->end(&x->stream);
	free(x);
}
#else
static struct strobe_error *xz_create(bool unpack, void **ret)
{
	return lacking("xz");
}
#define xz_step	   NULL
#define xz_destroy NULL
#endif

const struct packing packing_xz = {
	.name = "xz",
	.suffixes = { ".xz", ".txz" },
	.magic = "\xfd" "7zXZ", /* including its NUL */
	.magic_bytes = 6,
	.create = xz_create,
	.step = xz_step,
	.destroy = xz_destroy,
};

#if HAVE_ZSTD
struct zstd {
	ZSTD_CStream *pack;
	ZSTD_DStream *unpack;
};

static struct strobe_error *zstd_create(bool unpack, void **ret)
{
	struct zstd *z = xcalloc(1, sizeof(*z));
	if (unpack)
		z->unpack = ZSTD_createDStream();
	else
		z->pack = ZSTD_createCStream();
	if (z->pack)
		ZSTD_CCtx_setParameter(z->pack, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	*ret = z;
	return NULL;
}

static enum packing_step zstd_step(void *state, struct packing_io *io, bool finish)
{
	struct zstd *z = state;
	ZSTD_inBuffer in = { io->in, io->in_bytes, 0 };
	ZSTD_outBuffer out = { io->out, io->out_bytes, 0 };
	size_t left = z->unpack ? ZSTD_decompressStream(z->unpack, &out, &in) :
				  ZSTD_compressStream2(z->pack, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
	io->in += in.pos;
	io->in_bytes -= in.pos;
	io->out += out.pos;
	io->out_bytes -= out.pos;
	if (ZSTD_isError(left))
		return PACKING_DAMAGED;
	bool moved = in.pos || out.pos;
	return !left && (z->unpack ? moved : finish) ? PACKING_END : PACKING_MORE;
}

static void zstd_destroy(void *state, bool unpack)
{
	struct zstd *z = state;
	(void)unpack;
	ZSTD_freeCStream(z->pack);
	ZSTD_freeDStream(z->unpack);
	free(z);
}
#else
static struct strobe_error *zstd_create(bool unpack, void **ret)
{
	return lacking("zstd");
}
#define zstd_step    NULL
#define zstd_destroy NULL
#endif

const struct packing packing_zstd = {
	.name = "zstd",
	.suffixes = { ".zst", ".tzst" },
	.magic = "\x28\xb5\x2f\xfd",
	.magic_bytes = 4,
	.create = zstd_create,
	.step = zstd_step,
	.destroy = zstd_destroy,
};
