/* zstd, which is linked, as in perfdata/. */
#include <stdlib.h>

#include "base/mem.h"
#include "config.h"
#include "packing/packing_priv.h"

#if HAVE_ZSTD
#include <zstd.h>

#define LEVEL 9

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
		ZSTD_CCtx_setParameter(z->pack, ZSTD_c_compressionLevel, LEVEL);
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
