#include "decode/tracepoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "decode/ctype.h"
#include "decode/print_program.h"
#include "decode/tracepoints_priv.h"

#define FIELDS_MAX 4096
/* A sample's raw data is shorter than 64 KB. */
#define RAW_LIMIT 65536

struct tracepoints *tracepoints_create(bool swapped, unsigned long_bytes)
{
	struct tracepoints *t = xcalloc(1, sizeof(*t));
	arena_init(&t->arena);
	t->swapped = swapped;
	t->long_bytes = long_bytes == 4 ? 4 : 8;
	return t;
}

void tracepoints_destroy(struct tracepoints *t)
{
	if (!t)
		return;
	vec_deinit(&t->list);
	u64map_deinit(&t->by_id);
	u64map_deinit(&t->printk);
	arena_deinit(&t->arena);
	free(t);
}

const struct tracepoint *tracepoints_by_id(const struct tracepoints *t, uint32_t id)
{
	const uint64_t *i = u64map_get(&t->by_id, id);
	return i ? t->list.data[*i] : NULL;
}

const struct tracepoint *tracepoints_of_event(const struct tracepoints *t, const struct env_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT ? tracepoints_by_id(t, (uint32_t)e->attr.config) : NULL;
}

const struct tracepoint *tracepoints_by_name(const struct tracepoints *t, const char *system, const char *name)
{
	for (size_t i = 0; i < t->list.len; i++) {
		const struct tracepoint *tp = t->list.data[i];
		if (!strcmp(tp->name, name) && !strcmp(tp->system, system))
			return tp;
	}
	return NULL;
}

uint32_t tracepoints_page_bytes(const struct tracepoints *t)
{
	return t->page_bytes;
}

size_t tracepoints_count(const struct tracepoints *t)
{
	return t->list.len;
}

const struct tracepoint *tracepoints_at(const struct tracepoints *t, size_t i)
{
	return t->list.data[i];
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint *tp, const char *name)
{
	for (uint32_t i = 0; i < tp->fields_nr; i++)
		if (!strcmp(tp->fields[i].name, name))
			return &tp->fields[i];
	return NULL;
}

/* One line of the text, without blanks at both ends. */
struct line {
	const char *at, *end;
};

static bool next_line(const char **at, const char *end, struct line *ret)
{
	if (*at >= end)
		return false;
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	const char *stop = newline ? newline : end;
	ret->at = *at;
	ret->end = stop;
	*at = newline ? newline + 1 : end;
	while (ret->at < ret->end && isspace((unsigned char)*ret->at))
		ret->at++;
	while (ret->at < ret->end && isspace((unsigned char)ret->end[-1]))
		ret->end--;
	return true;
}

static bool take_prefix(struct line *l, const char *prefix)
{
	size_t n = strlen(prefix);
	if ((size_t)(l->end - l->at) < n || memcmp(l->at, prefix, n))
		return false;
	l->at += n;
	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	return true;
}

/* "\toffset:8;" : the number after a name up to its semicolon. */
static bool take_number(struct line *l, const char *name, uint32_t *ret)
{
	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	if (!take_prefix(l, name))
		return false;
	uint32_t v = 0;
	const char *start = l->at;
	for (; l->at < l->end && isdigit((unsigned char)*l->at); l->at++) {
		if (v > UINT32_MAX / 10 - 1)
			return false;
		v = v * 10 + (uint32_t)(*l->at - '0');
	}
	if (l->at == start || l->at == l->end || *l->at != ';')
		return false;
	l->at++;
	*ret = v;
	return true;
}

static bool contains_word(const char *s, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = s; (p = strstr(p, word)); p += n)
		if ((p == s || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) && !isalnum((unsigned char)p[n]) &&
		    p[n] != '_')
			return true;
	return false;
}

/* "unsigned long args[6]" → type and name; brackets make it an array. */
static bool split_declaration(struct tracepoints *t, const char *at, const char *end, struct tracepoint_field *f)
{
	const char *bracket = NULL;
	struct line decl = { at, end };
	if (take_prefix(&decl, "__data_loc "))
		f->kind = FIELD_DYNAMIC;
	else if (take_prefix(&decl, "__rel_loc "))
		f->kind = FIELD_DYNAMIC_RELATIVE;
	at = decl.at;
	if (end > at && end[-1] == ']')
		bracket = memrchr(at, '[', (size_t)(end - at));
	const char *name_end = bracket ? bracket : end;
	while (name_end > at && isspace((unsigned char)name_end[-1]))
		name_end--;
	const char *name = name_end;
	while (name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	const char *type_end = name;
	while (type_end > at && isspace((unsigned char)type_end[-1]))
		type_end--;
	if (name == name_end || type_end == at)
		return false;
	f->name = arena_strndup(&t->arena, name, (size_t)(name_end - name));
	f->type = arena_strndup(&t->arena, at, (size_t)(type_end - at));
	if (bracket && f->kind == FIELD_NUMBER) {
		f->kind = FIELD_ARRAY;
		f->element_bytes = (uint32_t)strtoul(bracket + 1, NULL, 10); /* the number of elements, until classify() */
	}
	return true;
}

/* Derives properties from the type that the numbers of the line do not give. */
static void classify(struct tracepoints *t, struct tracepoint_field *f)
{
	const char *p = f->type, *end = p + strlen(p);
	struct ctype type = {};
	ctype_parse(&p, end, t->long_bytes, true, &type);
	f->is_pointer = type.pointer_depth > 0;
	f->is_long = contains_word(f->type, "long");
	f->is_string = f->kind != FIELD_NUMBER && !f->is_pointer && contains_word(f->type, "char") &&
		       !contains_word(f->type, "unsigned");
	uint32_t declared = f->element_bytes ? f->bytes / f->element_bytes : 0;
	bool is_size = declared == 1 || declared == 2 || declared == 4 || declared == 8;
	f->element_bytes = is_size ? declared : f->is_pointer ? t->long_bytes : type.bytes ? type.bytes : 1;
	/* Numbers of an unusual size are shown as bytes. */
	if (f->kind == FIELD_NUMBER && f->bytes != 1 && f->bytes != 2 && f->bytes != 4 && f->bytes != 8) {
		f->kind = FIELD_ARRAY;
		f->element_bytes = 1;
	}
}

/* One word, or as many as "char[][2]" says: an array of strings of a probe, of which the kernel's longest has 64. */
static bool has_words(const struct tracepoint_field *f)
{
	const char *last = strrchr(f->type, '[');
	unsigned long n = last ? strtoul(last + 1, NULL, 10) : 0;
	return f->bytes == FIELD_DYNAMIC_BYTES || (n && n <= 64 && f->bytes == n * FIELD_DYNAMIC_BYTES);
}

static bool parse_field(struct tracepoints *t, struct line l, struct tracepoint_field *ret)
{
	const char *semicolon = memchr(l.at, ';', (size_t)(l.end - l.at));
	struct tracepoint_field f = {};
	if (!semicolon || !split_declaration(t, l.at, semicolon, &f))
		return false;
	l.at = semicolon + 1;
	uint32_t is_signed = 0;
	if (!take_number(&l, "offset:", &f.offset) || !take_number(&l, "size:", &f.bytes))
		return false;
	take_number(&l, "signed:", &is_signed); /* not in formats of old kernels */
	if (f.offset > RAW_LIMIT || f.bytes > RAW_LIMIT)
		return false;
	if ((f.kind == FIELD_DYNAMIC || f.kind == FIELD_DYNAMIC_RELATIVE) && !has_words(&f))
		return false;
	f.is_signed = is_signed;
	classify(t, &f);
	*ret = f;
	return true;
}

static struct strobe_error *bad_format(const struct tracepoint *tp, const char *what)
{
	return error_create(ERROR_FORMAT, "the format of tracepoint %s:%s %s", tp->system, tp->name ? tp->name : "?", what);
}

struct strobe_error *tracepoints_add(struct tracepoints *t, const char *system, const char *text, size_t bytes)
{
	VEC(struct tracepoint_field) fields = {};
	struct tracepoint tp = { .system = arena_strdup(&t->arena, system) };
	struct strobe_error *err = NULL;
	bool has_id = false, in_common = true;
	const char *at = text, *end = text + bytes;
	for (struct line l; !err && next_line(&at, end, &l);) {
		if (l.at == l.end) {
			in_common &= !fields.len; /* an empty line divides the common fields from its own */
		} else if (take_prefix(&l, "name:")) {
			tp.name = arena_strndup(&t->arena, l.at, (size_t)(l.end - l.at));
		} else if (take_prefix(&l, "ID:")) {
			uint64_t id;
			_cleanup_strbuf_ struct strbuf number = {};
			strbuf_add(&number, l.at, (size_t)(l.end - l.at));
			has_id = text_to_u64(strbuf_str(&number), &id) && id <= UINT32_MAX;
			tp.id = has_id ? (uint32_t)id : 0;
		} else if (take_prefix(&l, "field:") || take_prefix(&l, "field special:")) {
			struct tracepoint_field f;
			if (fields.len == FIELDS_MAX || !parse_field(t, l, &f)) {
				err = bad_format(&tp, "has an invalid field");
				break;
			}
			tp.common_nr += in_common;
			vec_push(&fields, f);
		} else if (take_prefix(&l, "print fmt:")) {
			/* The last entry; its strings may contain newlines. */
			tp.print_fmt = arena_strndup(&t->arena, l.at, (size_t)(end - l.at));
			at = end;
		}
	}
	if (!err && (!tp.name || !has_id))
		err = bad_format(&tp, "has no name or no ID");
	if (!err && !u64map_get(&t->by_id, tp.id)) {
		tp.fields = arena_memdup(&t->arena, fields.data, fields.len * sizeof(*fields.data));
		tp.fields_nr = (uint32_t)fields.len;
		struct tracepoint *kept = arena_memdup(&t->arena, &tp, sizeof(tp));
		if (tp.print_fmt)
			kept->program = print_program_compile(t, kept);
		*u64map_put(&t->by_id, tp.id, NULL) = t->list.len;
		vec_push(&t->list, kept);
	}
	vec_deinit(&fields);
	return err;
}

struct field_span field_bytes(const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
			      uint32_t raw_bytes)
{
	uint64_t at = f->offset, n = f->bytes;
	if (f->kind == FIELD_DYNAMIC || f->kind == FIELD_DYNAMIC_RELATIVE) {
		if (at + 4 > raw_bytes)
			return (struct field_span){ .data = raw };
		uint64_t word = raw_load(t, (const uint8_t *)raw + at, 4, false);
		at = (word & 0xffff) + (f->kind == FIELD_DYNAMIC_RELATIVE ? at + 4 : 0);
		n = word >> 16;
	}
	if (at >= raw_bytes)
		return (struct field_span){ .data = raw };
	n = n < raw_bytes - at ? n : raw_bytes - at;
	/* "type name[]" as the last field has size 0 and extends to the end. */
	if (f->kind == FIELD_ARRAY && !f->bytes)
		n = raw_bytes - at;
	return (struct field_span){ .data = (const uint8_t *)raw + at, .bytes = (uint32_t)n };
}

uint64_t field_number(const struct tracepoints *t, const struct tracepoint_field *f, const void *raw, uint32_t raw_bytes)
{
	struct field_span s = field_bytes(t, f, raw, raw_bytes);
	unsigned n = f->kind == FIELD_NUMBER ? f->bytes : f->element_bytes;
	return s.bytes >= n ? raw_load(t, s.data, n, f->is_signed) : 0;
}

uint64_t field_element(const struct tracepoints *t, const struct tracepoint_field *f, struct field_span bytes, uint32_t i)
{
	uint64_t end = ((uint64_t)i + 1) * f->element_bytes;
	return end <= bytes.bytes ? raw_load(t, bytes.data + end - f->element_bytes, f->element_bytes, f->is_signed) : 0;
}

static bool is_printable(struct field_span s)
{
	uint32_t i = 0;
	for (; i < s.bytes && s.data[i]; i++)
		if (!isprint(s.data[i]) && !isspace(s.data[i]))
			return false;
	return true;
}

static void array_text(struct out *out, struct field_span s)
{
	out_str(out, "ARRAY[");
	for (uint32_t i = 0; i < s.bytes; i++) {
		if (i)
			out_str(out, ", ");
		out_hex_width(out, s.data[i], 2, '0');
	}
	out_ch(out, ']');
}

uint32_t field_dynamic_nr(const struct tracepoint_field *f)
{
	return f->kind == FIELD_DYNAMIC || f->kind == FIELD_DYNAMIC_RELATIVE ? f->bytes / FIELD_DYNAMIC_BYTES : 1;
}

struct tracepoint_field field_dynamic(const struct tracepoint_field *f, uint32_t i)
{
	struct tracepoint_field one = *f;
	one.offset += i * FIELD_DYNAMIC_BYTES;
	one.bytes = FIELD_DYNAMIC_BYTES;
	return one;
}

static void dynamics_text(struct out *out, const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
			  uint32_t raw_bytes)
{
	out_ch(out, '{');
	for (uint32_t i = 0; i < field_dynamic_nr(f); i++) {
		const struct tracepoint_field one = field_dynamic(f, i);
		if (i)
			out_ch(out, ',');
		field_text(out, t, &one, raw, raw_bytes);
	}
	out_ch(out, '}');
}

void field_text(struct out *out, const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
		uint32_t raw_bytes)
{
	struct field_span s = field_bytes(t, f, raw, raw_bytes);
	if (field_dynamic_nr(f) > 1) {
		dynamics_text(out, t, f, raw, raw_bytes);
		return;
	}
	if (f->kind != FIELD_NUMBER) {
		if (f->is_string && is_printable(s))
			out_text(out, (const char *)s.data, strnlen((const char *)s.data, s.bytes));
		else
			array_text(out, s);
		return;
	}
	uint64_t v = s.bytes >= f->bytes ? raw_load(t, s.data, f->bytes, f->is_signed) : 0;
	if (f->is_pointer || (f->is_long && (!f->is_signed || f->bytes == 4))) {
		out_str(out, "0x");
		out_hex(out, f->bytes == 4 ? (uint32_t)v : v);
	} else if (f->is_signed) {
		if (f->bytes == 2 && v < 10) /* perf prints shorts two columns wide */
			out_ch(out, ' ');
		out_i64(out, (int64_t)v);
	} else {
		out_u64(out, v);
	}
}

void field_json_strings(struct json *j, const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
			uint32_t raw_bytes)
{
	uint32_t n = field_dynamic_nr(f);
	if (n > 1)
		json_array(j);
	for (uint32_t i = 0; i < n; i++) {
		const struct tracepoint_field one = n > 1 ? field_dynamic(f, i) : *f;
		struct field_span s = field_bytes(t, &one, raw, raw_bytes);
		json_str_n(j, (const char *)s.data, strnlen((const char *)s.data, s.bytes));
	}
	if (n > 1)
		json_end(j);
}

void fields_text(struct out *out, const struct tracepoints *t, const struct tracepoint *tp, const void *raw,
		 uint32_t raw_bytes)
{
	for (uint32_t i = tp->common_nr; i < tp->fields_nr; i++) {
		out_f(out, " %s=", tp->fields[i].name);
		field_text(out, t, &tp->fields[i], raw, raw_bytes);
	}
}
