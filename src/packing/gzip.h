/*
 * Packs and unpacks gzip in memory: with libdeflate if there is one, which is twice as fast, else with zlib. Without either, these
 * functions return ERROR_UNSUPPORTED.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"

bool gzip_is(const uint8_t *p, size_t n);
/*
 * Unpacks all members of the file; *ret is owned by the caller. ERROR_LIMIT if the output exceeds max_bytes (a bomb). The name is for
 * messages.
 */
struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, const char *name, uint8_t **ret,
				 size_t *ret_n) _must_check_;
/* Appends one member, with fast rather than strong compression. */
struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out) _must_check_;
/* Unpacks data without gzip's header, in zlib's format, of a known size. *ret_whole: whether it has that size and is not damaged. */
struct strobe_error *zlib_unpack(const void *p, size_t n, void *to, size_t to_bytes, bool *ret_whole) _must_check_;
