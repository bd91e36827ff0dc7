/*
 * zstd, loaded on first use: its functions by the names that they have there, without the prefix. Thread-safe; whoever loads it keeps the
 * struct. Private to the few that compress a stream themselves; packing.h does it for the others.
 */
#pragma once
#include "config.h"

#if HAVE_ZSTD
#include <zstd.h>

#include "base/error.h"

struct libzstd {
	ZSTD_CCtx *(*createCCtx)(void);
	size_t (*freeCCtx)(ZSTD_CCtx *c);
	size_t (*CCtx_setParameter)(ZSTD_CCtx *c, ZSTD_cParameter parameter, int value);
	size_t (*compressStream2)(ZSTD_CCtx *c, ZSTD_outBuffer *out, ZSTD_inBuffer *in, ZSTD_EndDirective end);
	ZSTD_DStream *(*createDStream)(void);
	size_t (*freeDStream)(ZSTD_DStream *d);
	size_t (*initDStream)(ZSTD_DStream *d);
	size_t (*decompressStream)(ZSTD_DStream *d, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
	size_t (*decompress)(void *to, size_t to_bytes, const void *from, size_t from_bytes);
	unsigned int (*isError)(size_t code);
	const char *(*getErrorName)(size_t code);
};

/* ERROR_UNSUPPORTED if the library is not installed. */
struct strobe_error *libzstd_load(struct libzstd *ret) _must_check_;
#endif
