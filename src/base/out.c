#include "base/out.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

#define BUFFER (64 * 1024)

void out_init_fd(struct out *o, int fd)
{
	*o = (struct out){ .to_fd = true, .fd = fd };
}

void out_init_mem(struct out *o)
{
	*o = (struct out){ 0 };
}

static void send(struct out *o, const char *p, size_t n)
{
	if (!o->error && n) {
		o->error = file_write_fd(o->fd, "output", p, n);
		if (!o->error)
			o->flushed_bytes += n;
	}
}

void out_flush(struct out *o)
{
	if (!o->to_fd)
		return;
	send(o, o->buf, o->len);
	o->len = 0;
}

struct strobe_error *out_close(struct out *o)
{
	out_flush(o);
	struct strobe_error *err = o->error;
	free(o->buf);
	*o = (struct out){ 0 };
	return err;
}

struct strobe_error *out_close_file(struct out *o, const char *name)
{
	struct strobe_error *err = out_close(o);
	if (!err)
		return NULL;
	int errnum = err->errnum;
	error_destroy(err);
	return error_errno(errnum, "cannot write %s", name);
}

bool out_failed(const struct out *o)
{
	return o->error != NULL;
}

const char *out_mem(const struct out *o, size_t *ret_len)
{
	*ret_len = o->len;
	return o->buf ? o->buf : "";
}

char *out_reserve_slow(struct out *o, size_t n)
{
	out_flush(o);
	if (!o->buf || o->cap - o->len < n) {
		size_t cap = o->cap ? o->cap : o->to_fd ? BUFFER : 256;
		while (cap - o->len < n)
			cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
		o->buf = xreallocarray(o->buf, cap, 1);
		o->cap = cap;
	}
	return o->buf + o->len;
}

/* Most writes are short: a call of memcpy would take longer than two overlapping moves. */
void out_write_some(struct out *o, const void *p, size_t n)
{
	const char *from = p;
	/* Where n just fits, too: so there is a buffer below, whatever n is. */
	if (o->cap - o->len <= n) {
		out_write_slow(o, p, n);
		return;
	}
	char *to = o->buf + o->len;
	o->len += n;
	if (n > 32) {
		memcpy(to, from, n);
	} else if (n >= 16) {
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

void out_write_slow(struct out *o, const void *p, size_t n)
{
	if (!n)
		return;
	if (o->to_fd && n >= BUFFER) {
		/* Large pieces go straight through. */
		out_flush(o);
		send(o, p, n);
		return;
	}
	memcpy(out_reserve_slow(o, n), p, n);
	o->len += n;
}

void out_fill(struct out *o, char c, size_t n)
{
	while (n) {
		size_t part = n < 4096 ? n : 4096;
		memset(out_reserve(o, part), c, part);
		o->len += part;
		n -= part;
	}
}

void out_right(struct out *o, const char *s, size_t width)
{
	size_t n = strlen(s);
	if (n < width)
		out_fill(o, ' ', width - n);
	out_write(o, s, n);
}

void out_left(struct out *o, const char *s, size_t width)
{
	size_t n = strlen(s);
	out_write(o, s, n);
	if (n < width)
		out_fill(o, ' ', width - n);
}

static char *hex_digits(char *end, uint64_t v)
{
	char *p = end;
	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	return p;
}

void out_u64(struct out *o, uint64_t v)
{
	char buf[20], *end = buf + sizeof(buf), *p = digits_u64(end, v);
	out_write(o, p, (size_t)(end - p));
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_ch(o, '-');
	out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void out_u64_width(struct out *o, uint64_t v, size_t width, char pad)
{
	if (width && width <= DIGITS_POWERS && v < digits_power[width]) {
		char *start = out_reserve(o, width), *at = digits_u64(start + width, v);
		while (at > start)
			*--at = pad;
		o->len += width;
		return;
	}
	char buf[20], *end = buf + sizeof(buf), *p = digits_u64(end, v);
	if (width > sizeof(buf)) {
		out_fill(o, pad, width - sizeof(buf));
		width = sizeof(buf);
	}
	while ((size_t)(end - p) < width)
		*--p = pad;
	out_write(o, p, (size_t)(end - p));
}

void out_point(struct out *o, uint64_t whole, uint64_t frac, unsigned decimals, size_t width)
{
	size_t left = width > decimals ? width - decimals - 1 : 0; /* for the whole */
	if (left && left <= DIGITS_POWERS && whole < digits_power[left]) {
		char *start = out_reserve(o, width), *at = digits_point(start + width, whole, frac, decimals);
		while (at > start)
			*--at = ' ';
		o->len += width;
		return;
	}
	char buf[DIGITS_F64_BYTES], *end = buf + sizeof(buf), *p = digits_point(end, whole, frac, decimals);
	if (width > (size_t)(end - p))
		out_fill(o, ' ', width - (size_t)(end - p));
	out_write(o, p, (size_t)(end - p));
}

void out_hex(struct out *o, uint64_t v)
{
	char buf[16], *end = buf + sizeof(buf), *p = hex_digits(end, v);
	out_write(o, p, (size_t)(end - p));
}

void out_hex_width(struct out *o, uint64_t v, size_t width, char pad)
{
	char buf[16], *end = buf + sizeof(buf), *p = hex_digits(end, v);
	size_t n = (size_t)(end - p);
	if (n < width)
		out_fill(o, pad, width - n);
	out_write(o, p, n);
}

/* Huge numbers and more than 18 decimals. */
static void f64_slow(struct out *o, double v, int decimals)
{
	char *s = xasprintf("%.*f", decimals, v);
	const char *point = localeconv()->decimal_point;
	char *at = *point && strcmp(point, ".") ? strstr(s, point) : NULL;
	if (at) {
		out_write(o, s, (size_t)(at - s));
		out_ch(o, '.');
		out_str(o, at + strlen(point));
	} else {
		out_str(o, s);
	}
	free(s);
}

void out_f64(struct out *o, double v, int decimals)
{
	char buf[DIGITS_F64_BYTES];
	if (decimals < 0)
		decimals = 6;
	size_t n = digits_f64(buf, v, decimals);
	if (n)
		out_write(o, buf, n);
	else if (isnan(v) || isinf(v))
		out_str(o, isnan(v) ? signbit(v) ? "-nan" : "nan" : v < 0 ? "-inf" : "inf");
	else
		f64_slow(o, v, decimals);
}

void out_f(struct out *o, const char *fmt, ...)
{
	char small[256];
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		out_write(o, small, (size_t)n);
	} else {
		char *s = xvasprintf(fmt, again);
		out_str(o, s);
		free(s);
	}
	va_end(again);
}

static void escape(struct out *o, unsigned char c)
{
	out_str(o, "\\x");
	out_hex_width(o, c, 2, '0');
}

/* How many bytes are printable ASCII: eight at a time, then one by one. */
static size_t plain_run(const char *s, size_t n)
{
	const uint64_t each = 0x0101010101010101;
	size_t len = 0;
	for (; n - len >= 8; len += 8) {
		uint64_t v;
		memcpy(&v, s + len, 8);
		/* The high bit of a byte is set if it is below 0x20 or above 0x7e, or the one before it was. */
		if ((v | (v - 0x20 * each) | (v + each)) & 0x80 * each)
			break;
	}
	while (len < n && s[len] >= 0x20 && s[len] < 0x7f)
		len++;
	return len;
}

void out_text(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		/* Runs of plain ASCII, nearly all there is, are copied whole. */
		len = plain_run(s + i, n - i);
		if (len) {
			out_write(o, s + i, len);
			continue;
		}
		uint32_t c;
		len = utf8_decode(s + i, n - i, &c);
		if (len > 1 && !utf8_steers(c)) {
			out_write(o, s + i, len);
			continue;
		}
		if (len > 2) {
			out_f(o, "\\u%04x", c);
			continue;
		}
		if (!len)
			len = 1;
		for (size_t k = 0; k < len; k++)
			escape(o, (unsigned char)s[i + k]);
	}
}

void out_text_str(struct out *o, const char *s)
{
	out_text(o, s, strlen(s));
}

static void text_padded(struct out *o, const char *s, size_t width, void (*put)(struct out *o, const char *s, size_t width))
{
	size_t n = strlen(s);
	if (plain_run(s, n) == n) {
		put(o, s, width);
		return;
	}
	struct out text;
	out_init_mem(&text);
	out_text_str(&text, s);
	out_ch(&text, '\0');
	put(o, out_mem(&text, &(size_t){ 0 }), width);
	error_destroy(out_close(&text));
}

void out_text_left(struct out *o, const char *s, size_t width)
{
	text_padded(o, s, width, out_left);
}

void out_text_right(struct out *o, const char *s, size_t width)
{
	text_padded(o, s, width, out_right);
}

static const char *const entities[256] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;" };

/* The number of bytes that are the same in XML as in the text. */
static size_t plain_xml_run(const char *s, size_t n)
{
	size_t len = 0;
	while (len < n && !(s[len] & 0x80) && !entities[(unsigned char)s[len]])
		len++;
	return len;
}

void out_xml(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		uint32_t c;
		len = plain_xml_run(s + i, n - i);
		if (len) {
			out_text(o, s + i, len);
			continue;
		}
		const char *entity = entities[(unsigned char)s[i]];
		len = s[i] & 0x80 ? utf8_decode(s + i, n - i, &c) : 0;
		if (entity)
			out_str(o, entity);
		else if (len && (c == 0xfffe || c == 0xffff))
			out_ch(o, '?');
		else
			out_text(o, s + i, len ? len : 1);
		len = len ? len : 1;
	}
}

void out_xml_str(struct out *o, const char *s)
{
	out_xml(o, s, strlen(s));
}

void out_csv(struct out *o, const char *s)
{
	if (!strpbrk(s, ",\"\r\n") && *s != ' ') {
		out_text(o, s, strlen(s));
		return;
	}
	out_ch(o, '"');
	for (size_t n; *s; s += n) {
		n = *s == '"' ? 1 : strcspn(s, "\"");
		out_text(o, s, n);
		if (*s == '"')
			out_ch(o, '"');
	}
	out_ch(o, '"');
}
