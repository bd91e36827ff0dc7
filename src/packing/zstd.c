/* zstd, which is loaded on first use. */
#include <stdlib.h>

#include "base/mem.h"
#include "config.h"
#include "packing/libzstd.h"
#include "packing/packing_priv.h"

#if HAVE_ZSTD

#define LEVEL 9

struct zstd {
	struct libzstd library;
	ZSTD_CCtx *pack;
	ZSTD_DStream *unpack;
};

static struct strobe_error *zstd_create(bool unpack, void **ret)
{
	struct zstd *z = xcalloc(1, sizeof(*z));
	struct strobe_error *err = libzstd_load(&z->library);
	if (err) {
		free(z);
		return err;
	}
	if (unpack)
		z->unpack = z->library.createDStream();
	else
		z->pack = z->library.createCCtx();
	if (z->pack)
		z->library.CCtx_setParameter(z->pack, ZSTD_c_compressionLevel, LEVEL);
	*ret = z;
	return NULL;
}

static enum packing_step zstd_step(void *state, struct packing_io *io, bool finish)
{
	struct zstd *z = state;
	ZSTD_inBuffer in = { io->in, io->in_bytes, 0 };
	ZSTD_outBuffer out = { io->out, io->out_bytes, 0 };
	size_t left = z->unpack ? z->library.decompressStream(z->unpack, &out, &in) :
				  z->library.compressStream2(z->pack, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
	io->in += in.pos;
	io->in_bytes -= in.pos;
	io->out += out.pos;
	io->out_bytes -= out.pos;
	if (z->library.isError(left))
		return PACKING_DAMAGED;
	bool moved = in.pos || out.pos;
	return !left && (z->unpack ? moved : finish) ? PACKING_END : PACKING_MORE;
}

static void zstd_destroy(void *state, bool unpack)
{
	struct zstd *z = state;
	if (unpack)
		z->library.freeDStream(z->unpack);
	else
		z->library.freeCCtx(z->pack);
	free(z);
}
#else
static struct strobe_error *zstd_create(bool unpack, void **ret)
{
	return error_create(ERROR_UNSUPPORTED, "zstd compression is not built in");
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
