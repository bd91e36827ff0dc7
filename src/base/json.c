#include "base/json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/utf8.h"

void json_init(struct json *j, struct out *out, bool indent)
{
	*j = (struct json){ .out = out, .indent = indent };
}

/* Past JSON_DEPTH only the depth is counted, and nothing is written. */
static bool muted(const struct json *j)
{
	return j->depth > JSON_DEPTH;
}

static void newline(struct json *j)
{
	if (!j->indent)
		return;
	out_ch(j->out, '\n');
	out_fill(j->out, ' ', (size_t)j->depth * 2);
}

/* Comma and line break before an element; nothing after a key. */
static void before_value(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	if (!j->first[j->depth - 1])
		out_ch(j->out, ',');
	j->first[j->depth - 1] = false;
	newline(j);
}

static void open(struct json *j, char kind)
{
	if (!muted(j))
		before_value(j);
	if (j->depth >= JSON_DEPTH) {
		if (j->depth++ == JSON_DEPTH)
			out_str(j->out, "null");
		return;
	}
	out_ch(j->out, kind);
	j->kind[j->depth] = kind;
	j->first[j->depth] = true;
	j->depth++;
}

void json_object(struct json *j)
{
	open(j, '{');
}

void json_array(struct json *j)
{
	open(j, '[');
}

void json_end(struct json *j)
{
	bool was_muted = muted(j);
	j->depth--;
	if (was_muted)
		return;
	if (!j->first[j->depth])
		newline(j);
	out_ch(j->out, j->kind[j->depth] == '{' ? '}' : ']');
	if (!j->depth && j->indent)
		out_ch(j->out, '\n');
}

/* Characters that control terminals are written as \uNNNN. */
static void write_character(struct out *o, const char *s, size_t len, uint32_t c)
{
	if (!utf8_steers(c))
		out_write(o, s, len);
	else if (c < 0x10000)
		out_f(o, "\\u%04x", c);
	else
		out_f(o, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

static void quoted(struct json *j, const char *s, size_t n)
{
	struct out *o = j->out;
	out_ch(o, '"');
	for (size_t i = 0, len; i < n; i += len) {
		for (len = 0; i + len < n; len++) {
			unsigned char c = (unsigned char)s[i + len];
			if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
				break;
		}
		if (len) {
			out_write(o, s + i, len);
			continue;
		}
		unsigned char c = (unsigned char)s[i];
		uint32_t v;
		if (c == '"' || c == '\\') {
			out_ch(o, '\\');
			out_ch(o, (char)c);
			len = 1;
		} else if ((len = utf8_decode(s + i, n - i, &v))) {
			write_character(o, s + i, len, v);
		} else {
			out_str(o, "\xef\xbf\xbd");
			len = 1;
		}
	}
	out_ch(o, '"');
}

void json_key(struct json *j, const char *key)
{
	if (muted(j))
		return;
	before_value(j);
	quoted(j, key, strlen(key));
	out_ch(j->out, ':');
	if (j->indent)
		out_ch(j->out, ' ');
	j->after_key = true;
}

void json_str(struct json *j, const char *s)
{
	json_str_n(j, s, strlen(s));
}

void json_str_n(struct json *j, const char *s, size_t n)
{
	if (muted(j))
		return;
	before_value(j);
	quoted(j, s, n);
}

void json_u64(struct json *j, uint64_t v)
{
	if (muted(j))
		return;
	before_value(j);
	out_u64(j->out, v);
}

void json_i64(struct json *j, int64_t v)
{
	if (muted(j))
		return;
	before_value(j);
	out_i64(j->out, v);
}

/* The shortest of 15, 16 and 17 digits that reads back as the same number, with a point in every locale. */
static void shortest(struct out *o, double v)
{
	char buf[64];
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(buf, sizeof(buf), "%.*g", precision, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	const char *point = localeconv()->decimal_point;
	char *at = *point ? strstr(buf, point) : NULL;
	if (!at) {
		out_str(o, buf);
		return;
	}
	out_write(o, buf, (size_t)(at - buf));
	out_ch(o, '.');
	out_str(o, at + strlen(point));
}

void json_f64(struct json *j, double v)
{
	if (muted(j))
		return;
	before_value(j);
	if (isnan(v) || isinf(v))
		out_str(j->out, "null");
	else if (v == trunc(v) && fabs(v) < 0x1p53)
		out_i64(j->out, (int64_t)v);
	else
		shortest(j->out, v);
}

void json_bool(struct json *j, bool v)
{
	if (muted(j))
		return;
	before_value(j);
	out_str(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	if (muted(j))
		return;
	before_value(j);
	out_str(j->out, "null");
}

void json_hex(struct json *j, uint64_t v)
{
	if (muted(j))
		return;
	before_value(j);
	out_str(j->out, "\"0x");
	out_hex(j->out, v);
	out_ch(j->out, '"');
}

void json_bytes(struct json *j, const uint8_t *p, size_t n)
{
	if (muted(j))
		return;
	before_value(j);
	out_ch(j->out, '"');
	for (size_t i = 0; i < n; i++) {
		text_bytes_to_hex(p + i, 1, out_reserve(j->out, 2));
		j->out->len += 2;
	}
	out_ch(j->out, '"');
}

void json_format(struct json *j, const char *format, unsigned version)
{
	json_pair_str(j, "format", format);
	json_pair_u64(j, "version", version);
}

void json_pair_str(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	if (s)
		json_str(j, s);
	else
		json_null(j);
}

void json_pair_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_pair_hex(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_hex(j, v);
}
