/* bzip2: the compression of perf's archives. libbz2 is part of every Debian system, and loaded on first use. */
#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "packing/packing_priv.h"

struct bzip2 {
	bz_stream b;
	bool unpack, is_new;
	int (*compress_init)(bz_stream *b, int block, int verbosity, int work);
	int (*compress)(bz_stream *b, int action);
	int (*compress_end)(bz_stream *b);
	int (*decompress_init)(bz_stream *b, int verbosity, int small);
	int (*decompress)(bz_stream *b);
	int (*decompress_end)(bz_stream *b);
};

static const struct library library = {
	.files = { "libbz2.so.1.0", "libbz2.so.1" },
	.missing = "bzip2 compression requires libbz2, which is not installed",
};

static struct strobe_error *load(struct bzip2 *z)
{
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&z->compress_init, BZ2_bzCompressInit),
		LIBRARY_SYMBOL(&z->compress, BZ2_bzCompress),
		LIBRARY_SYMBOL(&z->compress_end, BZ2_bzCompressEnd),
		LIBRARY_SYMBOL(&z->decompress_init, BZ2_bzDecompressInit),
		LIBRARY_SYMBOL(&z->decompress, BZ2_bzDecompress),
		LIBRARY_SYMBOL(&z->decompress_end, BZ2_bzDecompressEnd),
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

static struct strobe_error *bzip2_create(bool unpack, void **ret)
{
	struct bzip2 *z = xcalloc(1, sizeof(*z));
	struct strobe_error *err = load(z);
	z->unpack = unpack;
	if (!err && (unpack ? z->decompress_init(&z->b, 0, 0) : z->compress_init(&z->b, 9, 0, 0)) != BZ_OK)
		err = error_create(ERROR_OTHER, "cannot initialize libbz2");
	if (err) {
		free(z);
		return err;
	}
	*ret = z;
	return NULL;
}

/* Another stream may follow (pbzip2 writes such files). */
static bool start_anew(struct bzip2 *z)
{
	z->decompress_end(&z->b);
	memset(&z->b, 0, sizeof(z->b));
	z->is_new = false;
	return z->decompress_init(&z->b, 0, 0) == BZ_OK;
}

static enum packing_step bzip2_step(void *state, struct packing_io *io, bool finish)
{
	struct bzip2 *z = state;
	unsigned in = io->in_bytes < 1 << 30 ? (unsigned)io->in_bytes : 1 << 30;
	unsigned out = io->out_bytes < 1 << 30 ? (unsigned)io->out_bytes : 1 << 30;
	if (z->unpack && z->is_new && (!in || !start_anew(z)))
		return PACKING_DAMAGED;
	z->b.next_in = (char *)io->in;
	z->b.avail_in = in;
	z->b.next_out = (char *)io->out;
	z->b.avail_out = out;
	int status = z->unpack ? z->decompress(&z->b) : z->compress(&z->b, finish && in == io->in_bytes ? BZ_FINISH : BZ_RUN);
	io->in += in - z->b.avail_in;
	io->in_bytes -= in - z->b.avail_in;
	io->out += out - z->b.avail_out;
	io->out_bytes -= out - z->b.avail_out;
	z->is_new = status == BZ_STREAM_END;
	/* BZ_RUN without input returns BZ_PARAM_ERROR, which is not damage. */
	bool idle = !z->unpack && status == BZ_PARAM_ERROR && !in;
	return status == BZ_STREAM_END ? PACKING_END : status >= BZ_OK || idle ? PACKING_MORE : PACKING_DAMAGED;
}

static void bzip2_destroy(void *state, bool unpack)
{
	struct bzip2 *z = state;
	if (unpack)
		z->decompress_end(&z->b);
	else
		z->compress_end(&z->b);
	free(z);
}

const struct packing packing_bzip2 = {
	.name = "bzip2",
	.suffixes = { ".bz2", ".tbz2" },
	.magic = "BZh",
	.magic_bytes = 3,
	.create = bzip2_create,
	.step = bzip2_step,
	.destroy = bzip2_destroy,
};
