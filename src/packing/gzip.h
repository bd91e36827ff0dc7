/*
 * Bytes in memory packed as gzip, both ways: by libdeflate where it is built in, which is twice as fast, else by zlib.
 * Without either both functions say so (ERROR_UNSUPPORTED).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"

bool gzip_is(const uint8_t *p, size_t n);
/* All members of the file; *ret is the caller's. Output beyond max_bytes is an error (ERROR_LIMIT): a bomb. The name is for messages. */
struct strobe_error *gzip_unpack(const uint8_t *p, size_t n, size_t max_bytes, const char *name, uint8_t **ret,
				 size_t *ret_n) _must_check_;
/* Appends one member, packed quickly rather than tightly. */
struct strobe_error *gzip_pack(const void *p, size_t n, struct out *out) _must_check_;
