#include "tracing/func/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decode/syscall.h"

#define MEMBERS_MAX  24 /* that are shown of a struct */
#define ELEMENTS_MAX 8

/* Text and JSON have the same walk: one of these is NULL. */
struct writer {
	struct out *out;
	struct json *json;
};

static void put_value(const struct writer *w, const struct type *t, const uint8_t *bytes, size_t n, unsigned depth);

static void put_text(const struct writer *w, const char *text)
{
	if (w->json)
		json_str(w->json, text);
	else
		out_str(w->out, text);
}

static void put_unknown(const struct writer *w)
{
	if (w->json)
		json_null(w->json);
	else
		out_ch(w->out, '?');
}

static void put_hex(const struct writer *w, uint64_t v)
{
	if (w->json) {
		json_hex(w->json, v);
		return;
	}
	out_str(w->out, "0x");
	out_hex(w->out, v);
}

static void put_number(const struct writer *w, uint64_t v, bool is_signed)
{
	if (w->json && is_signed)
		json_i64(w->json, (int64_t)v);
	else if (w->json)
		json_u64(w->json, v);
	else if (is_signed)
		out_i64(w->out, (int64_t)v);
	else
		out_u64(w->out, v);
}

static uint64_t read_number(const uint8_t *bytes, uint64_t n, bool is_signed)
{
	uint64_t v = 0;
	memcpy(&v, bytes, n);
	if (is_signed && n < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n));
	return v;
}

static bool is_scalar(const struct type *t)
{
	return t && (t->kind == TYPE_INTEGER || t->kind == TYPE_BOOLEAN || t->kind == TYPE_CHARACTER || t->kind == TYPE_ENUM ||
		     t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE);
}

bool func_value_number(const struct type *type, const uint8_t *bytes, size_t n, uint64_t *ret)
{
	const struct type *t = type_strip(type);
	uint64_t width = t ? type_bytes(t) : 0;
	if (!is_scalar(t) || !width || width > 8 || width > n)
		return false;
	*ret = read_number(bytes, width, t->is_signed);
	return true;
}

static void put_float(const struct writer *w, const uint8_t *bytes, uint64_t n)
{
	float narrow;
	double wide = 0;
	if (n == sizeof(narrow)) {
		memcpy(&narrow, bytes, n);
		wide = (double)narrow;
	} else {
		memcpy(&wide, bytes, sizeof(wide));
	}
	if (w->json)
		json_f64(w->json, wide);
	else
		out_f(w->out, "%g", wide);
}

static void put_character(const struct writer *w, uint64_t v)
{
	char text[2] = { (char)v, 0 };
	if (v < 0x20 || v > 0x7e || v == '\'' || w->json)
		put_number(w, v, false);
	else
		out_f(w->out, "'%s'", text);
}

static void put_scalar(const struct writer *w, const struct type *t, uint64_t v)
{
	const char *name = t->kind == TYPE_ENUM ? type_enumerator_name(t, (int64_t)v) : NULL;
	if (name && w->json)
		json_str(w->json, name);
	else if (name)
		out_text_str(w->out, name);
	else if (t->kind == TYPE_BOOLEAN && v <= 1 && w->json)
		json_bool(w->json, v);
	else if (t->kind == TYPE_BOOLEAN && v <= 1)
		out_str(w->out, v ? "true" : "false");
	else if (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE)
		v || w->json ? put_hex(w, v) : put_text(w, "NULL");
	else if (t->kind == TYPE_CHARACTER && type_bytes(t) == 1)
		put_character(w, v & 0xff);
	else
		put_number(w, v, t->is_signed);
}

/* A bit field, in little-endian order. */
static void put_bits(const struct writer *w, const struct type_member *m, const uint8_t *bytes, size_t n)
{
	const struct type *t = type_strip(m->type);
	uint64_t v = 0, at = m->bit_offset / 8, end = (m->bit_offset + m->bits + 7) / 8;
	if (!t || end > n || end - at > 8) {
		put_unknown(w);
		return;
	}
	memcpy(&v, bytes + at, end - at);
	v = v >> m->bit_offset % 8 << (64 - m->bits);
	put_scalar(w, t, t->is_signed ? (uint64_t)((int64_t)v >> (64 - m->bits)) : v >> (64 - m->bits));
}

static void put_member(const struct writer *w, const struct type_member *m, const uint8_t *bytes, size_t n, unsigned depth)
{
	uint64_t at = m->bit_offset / 8;
	if (m->bits)
		put_bits(w, m, bytes, n);
	else if (at > n || !m->type)
		put_unknown(w);
	else
		put_value(w, m->type, bytes + at, n - at, depth + 1);
}

static void put_struct(const struct writer *w, const struct type *t, const uint8_t *bytes, size_t n, unsigned depth)
{
	size_t nr;
	const struct type_member *m = type_members(t, &nr);
	if (depth > 0 || t->is_declaration) {
		w->json ? json_null(w->json) : out_str(w->out, "{...}");
		return;
	}
	if (w->json)
		json_object(w->json);
	else
		out_ch(w->out, '{');
	for (size_t i = 0; i < nr && i < MEMBERS_MAX; i++) {
		const char *name = m[i].name ? m[i].name : m[i].is_base ? "base" : "anonymous";
		if (w->json) {
			json_key(w->json, name);
		} else {
			out_str(w->out, i ? ", " : "");
			out_text_str(w->out, name);
			out_str(w->out, ": ");
		}
		put_member(w, &m[i], bytes, n, depth);
	}
	if (w->json)
		json_end(w->json);
	else
		out_str(w->out, nr > MEMBERS_MAX ? ", ...}" : "}");
}

static void put_string(const struct writer *w, const uint8_t *bytes, size_t n)
{
	size_t length = strnlen((const char *)bytes, n);
	if (w->json)
		json_str_n(w->json, (const char *)bytes, length);
	else
		syscall_print_quoted(w->out, bytes, length);
}

static void put_array(const struct writer *w, const struct type *t, const uint8_t *bytes, size_t n, unsigned depth)
{
	const struct type *element = type_strip(type_target(t));
	uint64_t each = element ? type_bytes(element) : 0, count = each ? t->count : 0;
	if (each == 1 && element->kind == TYPE_CHARACTER) {
		put_string(w, bytes, n < count ? n : count);
		return;
	}
	if (w->json)
		json_array(w->json);
	else
		out_ch(w->out, '[');
	for (uint64_t i = 0; i < count && i < ELEMENTS_MAX; i++) {
		if (!w->json)
			out_str(w->out, i ? ", " : "");
		if ((i + 1) * each > n)
			put_unknown(w);
		else
			put_value(w, element, bytes + i * each, each, depth + 1);
	}
	if (w->json)
		json_end(w->json);
	else
		out_str(w->out, count > ELEMENTS_MAX ? ", ...]" : "]");
}

static void put_value(const struct writer *w, const struct type *type, const uint8_t *bytes, size_t n, unsigned depth)
{
	const struct type *t = type_strip(type);
	uint64_t width = t ? type_bytes(t) : 0, v;
	if (func_value_number(t, bytes, n, &v))
		put_scalar(w, t, v);
	else if (t && t->kind == TYPE_FLOAT && (width == 4 || width == 8) && width <= n)
		put_float(w, bytes, width);
	else if (t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION))
		put_struct(w, t, bytes, n, depth);
	else if (t && t->kind == TYPE_ARRAY)
		put_array(w, t, bytes, n, depth);
	else
		put_unknown(w);
}

void func_value_print(struct out *out, const struct type *t, const uint8_t *bytes, size_t n)
{
	put_value(&(struct writer){ .out = out }, t, bytes, n, 0);
}

void func_value_json(struct json *j, const struct type *t, const uint8_t *bytes, size_t n)
{
	put_value(&(struct writer){ .json = j }, t, bytes, n, 0);
}
