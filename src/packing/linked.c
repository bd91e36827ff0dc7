/* gzip, xz and zstd: libraries that this program is linked with where the build has them. */
#include <stdlib.h>
#include <string.h>

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
struct gzip {
	z_stream z;
	bool unpack;
};

static struct strobe_error *gzip_create(bool unpack, void **ret)
{
	struct gzip *g = xcalloc(1, sizeof(*g));
	g->unpack = unpack;
	int status = unpack ? inflateInit2(&g->z, 15 + 16) :
			      deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	if (status != Z_OK) {
		free(g);
		return error_create(ERROR_OTHER, "cannot initialize zlib");
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
	int status = g->unpack ? inflate(&g->z, Z_NO_FLUSH) :
				 deflate(&g->z, finish && in == io->in_bytes ? Z_FINISH : Z_NO_FLUSH);
	io->in += in - g->z.avail_in;
	io->in_bytes -= in - g->z.avail_in;
	io->out += out - g->z.avail_out;
	io->out_bytes -= out - g->z.avail_out;
	if (status == Z_STREAM_END && g->unpack)
		inflateReset(&g->z);
	return status == Z_STREAM_END ? PACKING_END : status == Z_OK || status == Z_BUF_ERROR ? PACKING_MORE : PACKING_DAMAGED;
}

static void gzip_destroy(void *state, bool unpack)
{
	struct gzip *g = state;
	if (unpack)
		inflateEnd(&g->z);
	else
		deflateEnd(&g->z);
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
static struct strobe_error *xz_create(bool unpack, void **ret)
{
	lzma_stream *x = xcalloc(1, sizeof(*x)), init = LZMA_STREAM_INIT;
	*x = init;
	lzma_ret status = unpack ? lzma_stream_decoder(x, XZ_MEMORY_MAX, 0) :
				   lzma_easy_encoder(x, XZ_LEVEL, LZMA_CHECK_CRC64);
	if (status != LZMA_OK) {
		free(x);
		return error_create(ERROR_OTHER, "cannot initialize liblzma");
	}
	*ret = x;
	return NULL;
}

static enum packing_step xz_step(void *state, struct packing_io *io, bool finish)
{
	lzma_stream *x = state;
	x->next_in = io->in;
	x->avail_in = io->in_bytes;
	x->next_out = io->out;
	x->avail_out = io->out_bytes;
	lzma_ret status = lzma_code(x, finish ? LZMA_FINISH : LZMA_RUN);
	io->in = x->next_in;
	io->in_bytes = x->avail_in;
	io->out = x->next_out;
	io->out_bytes = x->avail_out;
	return status == LZMA_STREAM_END ? PACKING_END :
	       status == LZMA_OK || status == LZMA_BUF_ERROR ? PACKING_MORE : PACKING_DAMAGED;
}

static void xz_destroy(void *state, bool unpack)
{
	(void)unpack;
	lzma_end(state);
	free(state);
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
	.magic = "\xfd" "7zXZ", /* with its NUL */
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
