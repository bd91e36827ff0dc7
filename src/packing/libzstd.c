#include "packing/libzstd.h"

#if HAVE_ZSTD
#include "base/library.h"

struct strobe_error *libzstd_load(struct libzstd *ret)
{
	static const struct library library = {
		.files = { "libzstd.so.1" },
		.missing = "zstd compression requires libzstd, which is not installed",
	};
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(&ret->createCCtx, ZSTD_createCCtx),
		LIBRARY_SYMBOL(&ret->freeCCtx, ZSTD_freeCCtx),
		LIBRARY_SYMBOL(&ret->CCtx_setParameter, ZSTD_CCtx_setParameter),
		LIBRARY_SYMBOL(&ret->compressStream2, ZSTD_compressStream2),
		LIBRARY_SYMBOL(&ret->createDStream, ZSTD_createDStream),
		LIBRARY_SYMBOL(&ret->freeDStream, ZSTD_freeDStream),
		LIBRARY_SYMBOL(&ret->initDStream, ZSTD_initDStream),
		LIBRARY_SYMBOL(&ret->decompressStream, ZSTD_decompressStream),
		LIBRARY_SYMBOL(&ret->decompress, ZSTD_decompress),
		LIBRARY_SYMBOL(&ret->isError, ZSTD_isError),
		LIBRARY_SYMBOL(&ret->getErrorName, ZSTD_getErrorName),
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}
#endif
