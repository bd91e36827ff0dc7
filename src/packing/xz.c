/* xz, by liblzma, which is loaded on first use. */
#include <stdlib.h>

#include "base/library.h"
#include "base/mem.h"
#include "config.h"
#include "packing/packing_priv.h"

#if HAVE_LZMA
#include <lzma.h>

#define MEMORY_MAX ((uint64_t)256 << 20)
#define LEVEL      6

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
	return (unpack ? x->decoder(&x->stream, MEMORY_MAX, 0) : x->encoder(&x->stream, LEVEL, LZMA_CHECK_CRC64)) == LZMA_OK;
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
	return error_create(ERROR_UNSUPPORTED, "xz compression is not built in");
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
