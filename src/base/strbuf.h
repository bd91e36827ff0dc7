/*
 * A growing string, NUL-terminated once something was added. A zeroed strbuf is empty and valid.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
	char *data; /* NULL while empty: use strbuf_str() */
	size_t len, cap;
};

void strbuf_deinit(struct strbuf *b);
void strbuf_reserve(struct strbuf *b, size_t extra);
void strbuf_add(struct strbuf *b, const void *p, size_t n);
void strbuf_addstr(struct strbuf *b, const char *s);
void strbuf_addch(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "%*.*f" in the C locale: at least so wide. */
void strbuf_add_f64(struct strbuf *b, double v, int decimals, unsigned width);
void strbuf_reset(struct strbuf *b);
/* The string; never NULL; valid until the next change. */
const char *strbuf_str(const struct strbuf *b);
/* Transfers ownership of the string; the buffer is empty afterwards. */
char *strbuf_take(struct strbuf *b);

static inline void strbuf_deinitp(struct strbuf *b)
{
	strbuf_deinit(b);
}

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_deinitp)))
