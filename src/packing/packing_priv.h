/* The interface of a packing: one descriptor each. */
#pragma once
#include "packing/packing.h"

enum packing_step { PACKING_MORE, PACKING_END, PACKING_DAMAGED };

struct packing {
	const char *name;
	const char *suffixes[2];
	const char *magic;
	size_t magic_bytes;
	/* ERROR_UNSUPPORTED if this build, or this machine, lacks the library. */
	struct strobe_error *(*create)(bool unpack, void **ret);
	enum packing_step (*step)(void *state, struct packing_io *io, bool finish);
	void (*destroy)(void *state, bool unpack);
};

/* By zlib: see zlib_unpack(). */
struct strobe_error *packing_unpack_zlib(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole) _must_check_;

extern const struct packing packing_bzip2, packing_gzip, packing_xz, packing_zstd;
