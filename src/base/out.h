/*
 * A buffered byte sink, to which all views write: stdout, files, memory, pagers and HTTP.
 *
 * No printf on hot paths: out_str, out_u64, out_hex and out_fill do what rows need. A write error is kept; out_failed()
 * reports it and out_close() returns it; further writes are ignored. EPIPE is treated like other errors.
 * One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

struct out {
	char *buf;
	size_t len, cap;
	bool to_fd; /* false: the bytes are kept in memory */
	int fd;
	struct strobe_error *error;
	uint64_t flushed_bytes;
};

/* fd is borrowed: it is not closed. */
void out_init_fd(struct out *o, int fd);
/* Collects in memory: out_mem() reads it. */
void out_init_mem(struct out *o);
/* Flushes, frees, and returns the first error. */
struct strobe_error *out_close(struct out *o) _must_check_;
/* The same for a file; the error says its name. */
struct strobe_error *out_close_file(struct out *o, const char *name) _must_check_;
void out_flush(struct out *o);
/* True once a write has failed: long loops may stop. */
bool out_failed(const struct out *o);
/* What a memory sink holds; not NUL-terminated; valid until the next write. */
const char *out_mem(const struct out *o, size_t *ret_len);

/* Room for n bytes in the buffer, so that a caller may write them itself and add to o->len. */
char *out_reserve_slow(struct out *o, size_t n);
static inline char *out_reserve(struct out *o, size_t n)
{
	return o->cap - o->len >= n ? o->buf + o->len : out_reserve_slow(o, n);
}

void out_write_slow(struct out *o, const void *p, size_t n);
/* For a length that is only known at run time. */
void out_write_some(struct out *o, const void *p, size_t n);
static inline void out_write(struct out *o, const void *p, size_t n)
{
	if (!__builtin_constant_p(n)) {
		out_write_some(o, p, n);
	} else if (o->cap - o->len >= n && n) {
		memcpy(o->buf + o->len, p, n);
		o->len += n;
	} else if (n) {
		out_write_slow(o, p, n);
	}
}

static inline void out_str(struct out *o, const char *s)
{
	out_write(o, s, strlen(s));
}

static inline void out_ch(struct out *o, char c)
{
	*out_reserve(o, 1) = c;
	o->len++;
}

void out_fill(struct out *o, char c, size_t n);
/* The string padded with blanks to at least width bytes; right- or left-aligned. */
void out_right(struct out *o, const char *s, size_t width);
void out_left(struct out *o, const char *s, size_t width);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
void out_u64_width(struct out *o, uint64_t v, size_t width, char pad); /* right-aligned */
/* whole.frac, right-aligned; frac has as many digits as `decimals`, at most DIGITS_POWERS. */
void out_point(struct out *o, uint64_t whole, uint64_t frac, unsigned decimals, size_t width);
/* v in units of 10^decimals, exactly: 1234567 with 3 decimals is 1234.567. */
static inline void out_fixed(struct out *o, uint64_t v, unsigned decimals, size_t width)
{
	uint64_t unit = 1;
	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	out_point(o, v / unit, v % unit, decimals, width);
}
void out_hex(struct out *o, uint64_t v);                               /* no 0x */
void out_hex_width(struct out *o, uint64_t v, size_t width, char pad);
void out_f64(struct out *o, double v, int decimals); /* %.*f in the C locale */
void out_f(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Escapes text from a file or the kernel: control bytes (and invalid UTF-8) become \xNN, so that a recording cannot control the
 * terminal. Tabs and newlines are escaped, too; bidirectional marks and invisible characters become \uNNNN.
 */
void out_text(struct out *o, const char *s, size_t n);
void out_text_str(struct out *o, const char *s);
/* Padded with blanks to at least width bytes, as out_left() and out_right() do. */
void out_text_left(struct out *o, const char *s, size_t width);
void out_text_right(struct out *o, const char *s, size_t width);
/* The same with XML entities for & < > " '; characters that XML does not permit become '?'. */
void out_xml(struct out *o, const char *s, size_t n);
void out_xml_str(struct out *o, const char *s);
/* A CSV field, escaped as by out_text(), and quoted if necessary. */
void out_csv(struct out *o, const char *s);
