#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"

void strbuf_deinit(struct strbuf *b)
{
	free(b->data);
	*b = (struct strbuf){ 0 };
}

void strbuf_reserve(struct strbuf *b, size_t extra)
{
	size_t need = b->len + extra + 1;
	if (need <= extra)
		need = SIZE_MAX; /* xreallocarray says it */
	if (need <= b->cap)
		return;
	size_t cap = b->cap ? b->cap : 32;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	b->data = xreallocarray(b->data, cap, 1);
	b->cap = cap;
	b->data[b->len] = 0;
}

void strbuf_add(struct strbuf *b, const void *p, size_t n)
{
	strbuf_reserve(b, n);
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = 0;
}

void strbuf_addstr(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_addch(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

static __attribute__((format(printf, 2, 0))) void vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	strbuf_reserve(b, 64);
	size_t room = b->cap - b->len;
	int n = vsnprintf(b->data + b->len, room, fmt, ap);
	if (n > 0 && (size_t)n >= room) {
		strbuf_reserve(b, (size_t)n);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->len += (size_t)n;
	b->data[b->len] = 0;
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vaddf(b, fmt, ap);
	va_end(ap);
}

void strbuf_add_f64(struct strbuf *b, double v, int decimals, unsigned width)
{
	char digits[DIGITS_F64_BYTES];
	size_t n = digits_f64(digits, v, decimals);
	if (!n) {
		strbuf_addf(b, "%*.*f", (int)width, decimals, v);
		return;
	}
	for (size_t i = n; i < width; i++)
		strbuf_addch(b, ' ');
	strbuf_add(b, digits, n);
}

void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = 0;
}

const char *strbuf_str(const struct strbuf *b)
{
	return b->data ? b->data : "";
}

char *strbuf_take(struct strbuf *b)
{
	char *s = b->data ? b->data : xstrdup("");
	*b = (struct strbuf){ 0 };
	return s;
}
