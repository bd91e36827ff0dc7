#include "values/dwarf_types.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "object/dwarf/die.h"

/* Types of a file by the offset of their DIE. */
struct types_of_file {
	const struct dwarf_file *file;
	struct u64map by_offset;
};

struct dwarf_types {
	struct type_source source; /* first: cast back from a type's source */
	struct dwarf *dwarf;
	struct arena arena;
	VEC(struct types_of_file) files;
};

/* Private data of a type: its DIE; for further dimensions of an array, the dimension. */
struct dwarf_type {
	struct type type;
	struct dwarf_die die, dimension;
};

static const struct type *type_of_die(struct dwarf_types *s, const struct dwarf_die *die);

static struct u64map *map_of(struct dwarf_types *s, const struct dwarf_file *f)
{
	for (size_t i = 0; i < s->files.len; i++)
		if (s->files.data[i].file == f)
			return &s->files.data[i].by_offset;
	vec_push(&s->files, ((struct types_of_file){ .file = f }));
	return &vec_last(&s->files).by_offset;
}

/* ---- one type ---- */

static void set_base(struct type *t, const struct dwarf_die *die)
{
	uint64_t encoding = 0;
	dwarf_die_number(die, DW_AT_encoding, &encoding);
	t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	switch (encoding) {
	case DW_ATE_boolean: t->kind = TYPE_BOOLEAN; break;
	case DW_ATE_float: case DW_ATE_complex_float: t->kind = TYPE_FLOAT; break;
	case DW_ATE_signed_char: case DW_ATE_unsigned_char: case DW_ATE_UTF: t->kind = TYPE_CHARACTER; break;
	default: t->kind = TYPE_INTEGER;
	}
}

static void set_kind(struct type *t, const struct dwarf_die *die)
{
	switch (die->tag) {
	case DW_TAG_base_type: set_base(t, die); break;
	case DW_TAG_pointer_type: t->kind = TYPE_POINTER; break;
	case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type: t->kind = TYPE_REFERENCE; break;
	case DW_TAG_array_type: t->kind = TYPE_ARRAY; break;
	case DW_TAG_structure_type: t->kind = TYPE_STRUCT; break;
	case DW_TAG_class_type: t->kind = TYPE_CLASS; break;
	case DW_TAG_union_type: t->kind = TYPE_UNION; break;
	case DW_TAG_enumeration_type: t->kind = TYPE_ENUM; break;
	case DW_TAG_subroutine_type: t->kind = TYPE_FUNCTION; break;
	case DW_TAG_typedef: t->kind = TYPE_TYPEDEF; break;
	case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type: case DW_TAG_atomic_type:
		t->kind = TYPE_QUALIFIED;
		break;
	default: t->kind = TYPE_OTHER;
	}
}

/* The number of elements of a dimension; 0 if not given. */
static uint64_t dimension_count(const struct dwarf_die *d)
{
	uint64_t n;
	if (dwarf_die_number(d, DW_AT_count, &n))
		return n;
	return dwarf_die_number(d, DW_AT_upper_bound, &n) ? n + 1 : 0;
}

static bool next_dimension(const struct dwarf_die *array, const struct dwarf_die *after, struct dwarf_die *ret)
{
	bool is_there = after ? dwarf_die_sibling(after, ret) : dwarf_die_child(array, ret);
	while (is_there && ret->tag != DW_TAG_subrange_type)
		is_there = dwarf_die_sibling(ret, ret);
	return is_there;
}

static void set_array(struct dwarf_type *t, const struct dwarf_die *after)
{
	if (next_dimension(&t->die, after, &t->dimension))
		t->type.count = dimension_count(&t->dimension);
}

static const struct type *make_type(struct dwarf_types *s, const struct dwarf_die *die)
{
	struct dwarf_type *t = arena_new(&s->arena, struct dwarf_type);
	t->die = *die;
	t->type.source = &s->source;
	t->type.id = die->offset;
	set_kind(&t->type, die);
	struct dwarf_value name = dwarf_die_value(die, DW_AT_name);
	t->type.name = dwarf_die_text(die, &name);
	t->type.says_bytes = dwarf_die_number(die, DW_AT_byte_size, &t->type.bytes);
	if (!t->type.says_bytes)
		t->type.bytes = t->type.kind == TYPE_POINTER || t->type.kind == TYPE_REFERENCE ? die->address_bytes : 0;
	t->type.is_declaration = dwarf_die_flag(die, DW_AT_declaration);
	uint64_t convention;
	t->type.is_by_reference = dwarf_die_number(die, DW_AT_calling_convention, &convention) && convention == DW_CC_pass_by_reference;
	if (t->type.kind == TYPE_ARRAY)
		set_array(t, NULL);
	if (die->tag == DW_TAG_rvalue_reference_type)
		t->type.name = "&&";
	if (t->type.kind == TYPE_ENUM)
		t->type.is_signed = type_target(&t->type) && type_strip(t->type.target) && type_strip(t->type.target)->is_signed;
	return &t->type;
}

static const struct type *type_of_die(struct dwarf_types *s, const struct dwarf_die *die)
{
	bool is_new;
	uint64_t *known = u64map_put(map_of(s, dwarf_die_file(die)), die->offset, &is_new);
	if (!is_new)
		return (const struct type *)(uintptr_t)*known;
	const struct type *t = make_type(s, die);
	*u64map_put(map_of(s, dwarf_die_file(die)), die->offset, NULL) = (uintptr_t)t;
	return t;
}

const struct type *dwarf_types_of(struct dwarf_types *s, const struct dwarf_die *die)
{
	struct dwarf_die from, to;
	struct dwarf_value v = dwarf_die_inherited(die, DW_AT_type, &from);
	if (!dwarf_die_follow(&from, &v, &to))
		return NULL;
	/* A type of a type unit may be declared by the unit that uses it. */
	struct dwarf_value signature = dwarf_die_value(&to, 0x69 /* DW_AT_signature */);
	struct dwarf_die whole;
	return type_of_die(s, dwarf_die_follow(&to, &signature, &whole) ? &whole : &to);
}

/* ---- the rest of a type ---- */

static void load_target(struct type_source *source, struct type *t)
{
	struct dwarf_types *s = (struct dwarf_types *)source;
	struct dwarf_type *of = (struct dwarf_type *)t, *inner;
	struct dwarf_die next;
	if (t->kind == TYPE_ARRAY && of->dimension.unit && next_dimension(&of->die, &of->dimension, &next)) {
		inner = arena_new(&s->arena, struct dwarf_type);
		inner->die = of->die;
		inner->type = (struct type){ .kind = TYPE_ARRAY, .source = source, .id = next.offset };
		set_array(inner, &of->dimension);
		t->target = &inner->type;
		return;
	}
	t->target = dwarf_types_of(s, &of->die);
}

#define OP_PLUS_UCONST 0x23

/* The offset of a member in bytes; false if only the object itself determines it (a virtual base). */
static bool member_bytes(const struct dwarf_die *d, uint64_t *ret)
{
	struct dwarf_value v = dwarf_die_value(d, DW_AT_data_member_location);
	*ret = v.u;
	if (v.class == DWARF_CONSTANT)
		return true;
	if (v.class != DWARF_BLOCK) {
		*ret = 0;
		return !v.class;
	}
	struct cursor c = cursor_make(v.block, (size_t)v.u, false);
	bool is_sum = cursor_u8(&c) == OP_PLUS_UCONST;
	*ret = cursor_uleb(&c);
	return is_sum && !c.bad && !cursor_left(&c);
}

/* In DWARF 2 and 3 the offset of a bit field counts from the highest bit of its storage. */
static bool set_place(struct type_member *m, const struct dwarf_die *d)
{
	uint64_t bytes, bits = 0, from_high, storage = type_bytes(m->type);
	if (!member_bytes(d, &bytes) || bytes > UINT64_MAX / 16)
		return false;
	m->bit_offset = bytes * 8;
	if (!dwarf_die_number(d, DW_AT_bit_size, &bits) || bits > 64)
		return true;
	m->bits = (uint32_t)bits;
	uint64_t from_low;
	if (dwarf_die_number(d, DW_AT_data_bit_offset, &from_low)) {
		m->bit_offset += from_low;
	} else if (dwarf_die_number(d, DW_AT_bit_offset, &from_high)) {
		dwarf_die_number(d, DW_AT_byte_size, &storage);
		storage = storage ? storage : type_bytes(m->type);
		m->bit_offset += storage * 8 - from_high - bits;
	}
	return true;
}

/* A class with a destructor is not copied as bytes; GCC does not mark the class. */
static bool is_destructor(const struct dwarf_die *d)
{
	struct dwarf_value name = d->tag == DW_TAG_subprogram ? dwarf_die_value(d, DW_AT_name) : (struct dwarf_value){};
	const char *text = dwarf_die_text(d, &name);
	return text && *text == '~';
}

static void load_members(struct type_source *source, struct type *t)
{
	struct dwarf_types *s = (struct dwarf_types *)source;
	VEC(struct type_member) members = {};
	struct dwarf_die d;
	for (bool more = dwarf_die_child(&((struct dwarf_type *)t)->die, &d); more; more = dwarf_die_sibling(&d, &d)) {
		bool is_base = d.tag == DW_TAG_inheritance;
		t->is_by_reference |= is_destructor(&d);
		bool is_static = dwarf_die_has(&d, DW_AT_external) || dwarf_die_has(&d, DW_AT_declaration);
		if ((d.tag != DW_TAG_member && !is_base) || is_static)
			continue;
		struct type_member m = { .type = dwarf_types_of(s, &d), .is_base = is_base };
		struct dwarf_value name = dwarf_die_value(&d, DW_AT_name);
		m.name = dwarf_die_text(&d, &name);
		if (set_place(&m, &d))
			vec_push(&members, m);
	}
	t->members_nr = members.len;
	t->members = members.len ? arena_memdup(&s->arena, members.data, members.len * sizeof(*members.data)) : NULL;
	vec_deinit(&members);
}

static void load_enumerators(struct type_source *source, struct type *t)
{
	struct dwarf_types *s = (struct dwarf_types *)source;
	VEC(struct type_enumerator) all = {};
	struct dwarf_die d;
	for (bool more = dwarf_die_child(&((struct dwarf_type *)t)->die, &d); more; more = dwarf_die_sibling(&d, &d)) {
		uint64_t value;
		struct dwarf_value name = dwarf_die_value(&d, DW_AT_name);
		const char *text = dwarf_die_text(&d, &name);
		if (d.tag == DW_TAG_enumerator && text && dwarf_die_number(&d, DW_AT_const_value, &value))
			vec_push(&all, ((struct type_enumerator){ text, (int64_t)value }));
	}
	t->enumerators_nr = all.len;
	t->enumerators = all.len ? arena_memdup(&s->arena, all.data, all.len * sizeof(*all.data)) : NULL;
	vec_deinit(&all);
}

struct dwarf_types *dwarf_types_create(struct dwarf *d)
{
	struct dwarf_types *s = xcalloc(1, sizeof(*s));
	s->source = (struct type_source){ load_target, load_members, load_enumerators };
	s->dwarf = d;
	arena_init(&s->arena);
	return s;
}

void dwarf_types_destroy(struct dwarf_types *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.len; i++)
		u64map_deinit(&s->files.data[i].by_offset);
	vec_deinit(&s->files);
	arena_deinit(&s->arena);
	free(s);
}
