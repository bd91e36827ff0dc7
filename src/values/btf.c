#include "values/btf.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"

/* The BTF of the kernel, or of a module, whose numbering continues the kernel's. */
struct blob {
	struct filemap map; /* empty if the bytes are borrowed */
	const uint8_t *types;
	uint32_t types_bytes;
	const char *strings; /* terminated by NUL */
	uint32_t strings_bytes;
	uint32_t first_id, first_string;
	VEC(uint32_t) at; /* by id - first_id: offset of the type in types */
};

struct btf_types {
	struct type_source source; /* first: cast back from a type's source */
	struct arena arena;
	struct blob blobs[2]; /* the kernel, the module */
	unsigned blobs_nr;
	struct u64map known; /* id -> struct type * */
};

/* ---- the bytes ---- */

static size_t bytes_after(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: case BTF_KIND_DATASEC: case BTF_KIND_ENUM64: return n * 12;
	case BTF_KIND_ENUM: case BTF_KIND_FUNC_PROTO: return n * 8;
	default: return 0;
	}
}

/* One pass checks that types lie within the data. */
static void index_types(struct blob *b)
{
	vec_reserve(&b->at, b->types_bytes / 24);
	for (uint32_t at = 0; b->types_bytes - at >= sizeof(struct btf_type);) {
		struct btf_type t;
		memcpy(&t, b->types + at, sizeof(t));
		size_t bytes = sizeof(t) + bytes_after(&t);
		if (BTF_INFO_KIND(t.info) == BTF_KIND_UNKN || bytes > b->types_bytes - at)
			break; /* use the types before the damaged one */
		vec_push(&b->at, at);
		at += (uint32_t)bytes;
	}
}

static struct strobe_error *read_blob(struct blob *b, const void *bytes, size_t n, const char *name)
{
	struct btf_header h;
	if (n < sizeof(h))
		return error_create(ERROR_FORMAT, "%s is not BTF: too short", name);
	memcpy(&h, bytes, sizeof(h));
	uint64_t left = n - (h.hdr_len < n ? h.hdr_len : n);
	bool is_inside = h.hdr_len >= sizeof(h) && (uint64_t)h.type_off + h.type_len <= left && (uint64_t)h.str_off + h.str_len <= left;
	if (h.magic != BTF_MAGIC)
		return error_create(ERROR_FORMAT, "%s is not BTF, or that of a machine of another byte order", name);
	b->types = (const uint8_t *)bytes + h.hdr_len + h.type_off;
	b->strings = (const char *)bytes + h.hdr_len + h.str_off;
	if (!is_inside || !h.str_len || b->strings[h.str_len - 1])
		return error_create(ERROR_FORMAT, "%s is damaged: its sections are not inside the file", name);
	b->types_bytes = h.type_len;
	b->strings_bytes = h.str_len;
	index_types(b);
	return NULL;
}

/* NULL if there is no such ID. */
static const uint8_t *type_at(const struct btf_types *b, uint32_t id, struct btf_type *ret)
{
	for (unsigned i = 0; i < b->blobs_nr; i++) {
		const struct blob *in = &b->blobs[i];
		if (id < in->first_id || id - in->first_id >= in->at.len)
			continue;
		const uint8_t *at = in->types + in->at.data[id - in->first_id];
		memcpy(ret, at, sizeof(*ret));
		return at + sizeof(*ret);
	}
	return NULL;
}

/* NULL if the offset is invalid. */
static const char *string_at(const struct btf_types *b, uint32_t offset)
{
	for (unsigned i = b->blobs_nr; i--;) {
		const struct blob *in = &b->blobs[i];
		if (offset < in->first_string)
			continue;
		const char *text = offset - in->first_string < in->strings_bytes ? in->strings + (offset - in->first_string) : "";
		return *text ? text : NULL;
	}
	return NULL;
}

/* ---- opening ---- */

static void load_target(struct type_source *source, struct type *t);
static void load_members(struct type_source *source, struct type *t);
static void load_enumerators(struct type_source *source, struct type *t);

static struct btf_types *create(void)
{
	struct btf_types *b = xcalloc(1, sizeof(*b));
	b->source = (struct type_source){ load_target, load_members, load_enumerators };
	arena_init(&b->arena);
	b->blobs[0].first_id = 1; /* 0 is void */
	return b;
}

static struct strobe_error *add_blob(struct btf_types *b, const void *bytes, size_t n, const char *name)
{
	struct blob *in = &b->blobs[b->blobs_nr++];
	if (b->blobs_nr > 1) {
		in->first_id = b->blobs[0].first_id + (uint32_t)b->blobs[0].at.len;
		in->first_string = b->blobs[0].strings_bytes;
	}
	return read_blob(in, bytes, n, name);
}

static struct strobe_error *add_file(struct btf_types *b, const char *path)
{
	struct filemap *map = &b->blobs[b->blobs_nr].map;
	TRY(filemap_open(map, path));
	return add_blob(b, map->data, map->bytes, path);
}

static struct strobe_error *hand_out(struct btf_types *b, struct strobe_error *err, struct btf_types **ret)
{
	*ret = err ? NULL : b;
	if (err)
		btf_types_close(b);
	return err;
}

struct strobe_error *btf_types_open(const char *kernel, const char *module, struct btf_types **ret)
{
	struct btf_types *b = create();
	struct strobe_error *err = add_file(b, kernel);
	if (!err && module)
		err = add_file(b, module);
	return hand_out(b, err, ret);
}

struct strobe_error *btf_types_open_memory(const void *kernel, size_t kernel_bytes, const void *module, size_t module_bytes,
					   struct btf_types **ret)
{
	struct btf_types *b = create();
	struct strobe_error *err = add_blob(b, kernel, kernel_bytes, "the kernel's BTF");
	if (!err && module)
		err = add_blob(b, module, module_bytes, "the module's BTF");
	return hand_out(b, err, ret);
}

void btf_types_close(struct btf_types *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < 2; i++) {
		vec_deinit(&b->blobs[i].at);
		filemap_close(&b->blobs[i].map);
	}
	u64map_deinit(&b->known);
	arena_deinit(&b->arena);
	free(b);
}

/* ---- types ---- */

static void set_integer(struct type *t, const uint8_t *after)
{
	uint32_t encoding;
	memcpy(&encoding, after, sizeof(encoding));
	encoding = BTF_INT_ENCODING(encoding);
	t->kind = encoding & BTF_INT_BOOL ? TYPE_BOOLEAN : encoding & BTF_INT_CHAR ? TYPE_CHARACTER : TYPE_INTEGER;
	t->is_signed = encoding & BTF_INT_SIGNED;
	/* In BTF, the kernel's char is an integer type. */
	if (t->bytes == 1 && t->name && (!strcmp(t->name, "char") || !strcmp(t->name, "unsigned char") || !strcmp(t->name, "signed char")))
		t->kind = TYPE_CHARACTER;
}

static void set_array(struct type *t, const uint8_t *after)
{
	struct btf_array array;
	memcpy(&array, after, sizeof(array));
	t->kind = TYPE_ARRAY;
	t->count = array.nelems;
	t->bytes = 0;
	t->name = NULL;
}

static void set_kind(struct type *t, const struct btf_type *raw, const uint8_t *after)
{
	switch (BTF_INFO_KIND(raw->info)) {
	case BTF_KIND_INT: set_integer(t, after); break;
	case BTF_KIND_PTR: t->kind = TYPE_POINTER; break;
	case BTF_KIND_ARRAY: set_array(t, after); break;
	case BTF_KIND_STRUCT: t->kind = TYPE_STRUCT; break;
	case BTF_KIND_UNION: t->kind = TYPE_UNION; break;
	case BTF_KIND_ENUM: case BTF_KIND_ENUM64:
		t->kind = TYPE_ENUM;
		t->is_signed = BTF_INFO_KFLAG(raw->info);
		break;
	case BTF_KIND_FWD:
		t->kind = BTF_INFO_KFLAG(raw->info) ? TYPE_UNION : TYPE_STRUCT;
		t->is_declaration = true;
		break;
	case BTF_KIND_TYPEDEF: t->kind = TYPE_TYPEDEF; break;
	case BTF_KIND_VOLATILE: case BTF_KIND_CONST: case BTF_KIND_RESTRICT: case BTF_KIND_TYPE_TAG:
		t->kind = TYPE_QUALIFIED;
		break;
	case BTF_KIND_FUNC_PROTO: t->kind = TYPE_FUNCTION; break;
	case BTF_KIND_FLOAT: t->kind = TYPE_FLOAT; break;
	default: t->kind = TYPE_OTHER;
	}
}

static bool has_size(unsigned kind)
{
	return kind == BTF_KIND_INT || kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
	       kind == BTF_KIND_ENUM64 || kind == BTF_KIND_FLOAT;
}

static const struct type *type_of_id(struct btf_types *b, uint32_t id)
{
	struct btf_type raw;
	const uint8_t *after = type_at(b, id, &raw);
	bool is_new;
	if (!after)
		return NULL;
	uint64_t *slot = u64map_put(&b->known, id, &is_new);
	if (!is_new)
		return (const struct type *)(uintptr_t)*slot;
	struct type *t = arena_new(&b->arena, struct type);
	*slot = (uintptr_t)t;
	t->source = &b->source;
	t->id = id;
	t->name = string_at(b, raw.name_off);
	t->says_bytes = has_size(BTF_INFO_KIND(raw.info));
	t->bytes = t->says_bytes ? raw.size : 0;
	set_kind(t, &raw, after);
	if (t->kind == TYPE_POINTER) {
		t->bytes = sizeof(void *);
		t->says_bytes = true;
	}
	return t;
}

static void load_target(struct type_source *source, struct type *t)
{
	struct btf_types *b = (struct btf_types *)source;
	struct btf_type raw;
	struct btf_array array;
	const uint8_t *after = type_at(b, (uint32_t)t->id, &raw);
	if (!after || has_size(BTF_INFO_KIND(raw.info)) || BTF_INFO_KIND(raw.info) == BTF_KIND_FWD)
		return;
	if (t->kind == TYPE_ARRAY) {
		memcpy(&array, after, sizeof(array));
		raw.type = array.type;
	}
	t->target = type_of_id(b, raw.type);
}

static void load_members(struct type_source *source, struct type *t)
{
	struct btf_types *b = (struct btf_types *)source;
	struct btf_type raw;
	const uint8_t *after = type_at(b, (uint32_t)t->id, &raw);
	if (!after || t->is_declaration || (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION))
		return;
	size_t n = BTF_INFO_VLEN(raw.info);
	struct type_member *members = arena_new_array(&b->arena, struct type_member, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct btf_member m;
		memcpy(&m, after + i * sizeof(m), sizeof(m));
		members[i] = (struct type_member){ .name = string_at(b, m.name_off), .type = type_of_id(b, m.type),
						   .bit_offset = m.offset };
		if (BTF_INFO_KFLAG(raw.info)) {
			members[i].bits = BTF_MEMBER_BITFIELD_SIZE(m.offset);
			members[i].bit_offset = BTF_MEMBER_BIT_OFFSET(m.offset);
		}
	}
	t->members = members;
	t->members_nr = n;
}

static void load_enumerators(struct type_source *source, struct type *t)
{
	struct btf_types *b = (struct btf_types *)source;
	struct btf_type raw;
	const uint8_t *after = type_at(b, (uint32_t)t->id, &raw);
	if (!after || t->kind != TYPE_ENUM)
		return;
	size_t n = BTF_INFO_VLEN(raw.info);
	bool is_wide = BTF_INFO_KIND(raw.info) == BTF_KIND_ENUM64;
	struct type_enumerator *all = arena_new_array(&b->arena, struct type_enumerator, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t words[3] = {}; /* name, low, high */
		memcpy(words, after + i * (is_wide ? 12 : 8), is_wide ? 12 : 8);
		uint64_t value = (uint64_t)words[2] << 32 | words[1];
		all[i].name = string_at(b, words[0]);
		all[i].value = is_wide ? (int64_t)value : t->is_signed ? (int64_t)(int32_t)words[1] : (int64_t)words[1];
		if (!all[i].name)
			all[i].name = "";
	}
	t->enumerators = all;
	t->enumerators_nr = n;
}

/* ---- by name ---- */

/* By kind and name, in the module first; 0: none. */
static uint32_t find_id(const struct btf_types *b, unsigned kind, const char *name)
{
	struct btf_type raw;
	for (unsigned i = b->blobs_nr; i--;) {
		const struct blob *in = &b->blobs[i];
		for (size_t k = 0; k < in->at.len; k++) {
			memcpy(&raw, in->types + in->at.data[k], sizeof(raw));
			const char *its = BTF_INFO_KIND(raw.info) == kind ? string_at(b, raw.name_off) : NULL;
			if (its && !strcmp(its, name))
				return in->first_id + (uint32_t)k;
		}
	}
	return 0;
}

static void read_parameters(struct btf_types *b, const uint8_t *after, size_t n, struct btf_function *ret)
{
	struct btf_parameter *all = arena_new_array(&b->arena, struct btf_parameter, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t words[2]; /* name, type */
		memcpy(words, after + i * sizeof(words), sizeof(words));
		if (!words[0] && !words[1]) {
			ret->is_variadic = true;
			break;
		}
		all[ret->parameters_nr++] = (struct btf_parameter){ string_at(b, words[0]), type_of_id(b, words[1]) };
	}
	ret->parameters = all;
}

bool btf_find_function(struct btf_types *b, const char *name, struct btf_function *ret)
{
	struct btf_type raw = {};
	uint32_t id = find_id(b, BTF_KIND_FUNC, name);
	if (!id)
		return false;
	type_at(b, id, &raw);
	*ret = (struct btf_function){ .name = string_at(b, raw.name_off) };
	const uint8_t *after = type_at(b, raw.type, &raw);
	if (!after || BTF_INFO_KIND(raw.info) != BTF_KIND_FUNC_PROTO)
		return false;
	ret->returned = type_of_id(b, raw.type);
	read_parameters(b, after, BTF_INFO_VLEN(raw.info), ret);
	return true;
}

const struct type *btf_find_type(struct btf_types *b, enum type_kind kind, const char *name)
{
	uint32_t id = kind == TYPE_STRUCT ? find_id(b, BTF_KIND_STRUCT, name) : kind == TYPE_UNION ? find_id(b, BTF_KIND_UNION, name) :
		      kind == TYPE_TYPEDEF ? find_id(b, BTF_KIND_TYPEDEF, name) : kind == TYPE_ENUM ? find_id(b, BTF_KIND_ENUM, name) : 0;
	if (!id && kind == TYPE_ENUM)
		id = find_id(b, BTF_KIND_ENUM64, name);
	return id ? type_of_id(b, id) : NULL;
}
