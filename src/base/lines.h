/*
 * A text file split into lines, for source listings.
 *
 * The path is untrusted: only regular files are read, up to a limit. Lines end with LF or CR LF; text after the last one is a
 * line, too.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"

#define LINES_MAX_BYTES (64u << 20)

struct lines {
	struct strbuf text;
	VEC(uint32_t) starts; /* offset of each line, in text */
};

/* ERROR_NOT_FOUND if the file does not exist. *ret is empty on error. */
struct strobe_error *lines_read(const char *path, struct lines *ret) _must_check_;
void lines_deinit(struct lines *l);

static inline size_t lines_count(const struct lines *l)
{
	return l->starts.len;
}

/* Line number n, from 1 on, without its end; NULL: none. Not NUL-terminated. */
const char *lines_get(const struct lines *l, size_t n, size_t *ret_bytes);
