#include "values/type.h"

#include <string.h>

#define CHAIN_MAX 64 /* nesting of typedefs, qualifiers, arrays and pointers: more is an error in the data */

const struct type *type_target(const struct type *t)
{
	if (!t->has_target) {
		struct type *of = (struct type *)t;
		of->has_target = true;
		if (t->source)
			t->source->load_target(t->source, of);
	}
	return t->target;
}

const struct type_member *type_members(const struct type *t, size_t *ret_nr)
{
	if (!t->has_members) {
		struct type *of = (struct type *)t;
		of->has_members = true;
		if (t->source)
			t->source->load_members(t->source, of);
	}
	*ret_nr = t->members_nr;
	return t->members;
}

const struct type_enumerator *type_enumerators(const struct type *t, size_t *ret_nr)
{
	if (!t->has_enumerators) {
		struct type *of = (struct type *)t;
		of->has_enumerators = true;
		if (t->source)
			t->source->load_enumerators(t->source, of);
	}
	*ret_nr = t->enumerators_nr;
	return t->enumerators;
}

const char *type_enumerator_name(const struct type *t, int64_t value)
{
	size_t nr;
	const struct type_enumerator *all = type_enumerators(t, &nr);
	for (size_t i = 0; i < nr; i++)
		if (all[i].value == value)
			return all[i].name;
	return NULL;
}

static const struct type *strip(const struct type *t, bool typedefs)
{
	for (unsigned i = 0; t && i < CHAIN_MAX; i++) {
		if (t->kind != TYPE_QUALIFIED && !(typedefs && t->kind == TYPE_TYPEDEF))
			return t;
		t = type_target(t);
	}
	return NULL;
}

const struct type *type_strip(const struct type *t)
{
	return strip(t, true);
}

const struct type *type_unqualified(const struct type *t)
{
	return strip(t, false);
}

uint64_t type_bytes(const struct type *t)
{
	uint64_t elements = 1;
	for (unsigned i = 0; i < CHAIN_MAX; i++) {
		t = type_strip(t);
		if (!t)
			return 0;
		uint64_t bytes = t->bytes;
		if (!bytes && t->kind == TYPE_ARRAY) {
			if (__builtin_mul_overflow(elements, t->count, &elements))
				return 0;
			t = type_target(t);
			continue;
		}
		return __builtin_mul_overflow(elements, bytes, &elements) ? 0 : elements;
	}
	return 0;
}

/* ---- members ---- */

#define NESTING_MAX 32

static bool has_members(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION);
}

static bool find_member(const struct type *t, const char *name, unsigned depth, struct type_member *ret)
{
	t = type_strip(t);
	if (!has_members(t) || depth > NESTING_MAX)
		return false;
	size_t nr;
	const struct type_member *all = type_members(t, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (all[i].name && !all[i].is_base && !strcmp(all[i].name, name)) {
			*ret = all[i];
			return true;
		}
	}
	for (size_t i = 0; i < nr; i++) {
		bool is_open = !all[i].name || all[i].is_base;
		if (is_open && find_member(all[i].type, name, depth + 1, ret)) {
			ret->bit_offset += all[i].bit_offset;
			return true;
		}
	}
	return false;
}

bool type_find_member(const struct type *t, const char *name, struct type_member *ret)
{
	return find_member(t, name, 0, ret);
}

/* ---- text ---- */

static bool add_text(const struct type *t, unsigned depth, struct strbuf *ret);

/* For a pointer, reference or array: its target, then the sign. */
static bool add_derived(const struct type *t, const char *sign, unsigned depth, struct strbuf *ret)
{
	const struct type *target = type_unqualified(type_target(t));
	if (target && !add_text(target, depth + 1, ret))
		return false;
	if (!target)
		strbuf_addstr(ret, "void");
	strbuf_addstr(ret, sign);
	return true;
}

static bool add_text(const struct type *t, unsigned depth, struct strbuf *ret)
{
	static const char *const prefixes[] = { [TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union ", [TYPE_ENUM] = "enum ",
						[TYPE_OTHER] = "" };
	if (depth > CHAIN_MAX)
		return false;
	switch (t->kind) {
	case TYPE_POINTER: return add_derived(t, "*", depth, ret);
	case TYPE_REFERENCE: return add_derived(t, t->name ? t->name : "&", depth, ret);
	case TYPE_ARRAY: return add_derived(t, "[]", depth, ret);
	case TYPE_VOID: strbuf_addstr(ret, "void"); return true;
	case TYPE_FUNCTION: strbuf_addstr(ret, "(function_type)"); return true;
	default: break;
	}
	const char *prefix = prefixes[t->kind] ? prefixes[t->kind] : "";
	strbuf_addstr(ret, prefix);
	if (t->name)
		strbuf_addstr(ret, t->name);
	return t->name || *prefix;
}

bool type_text(const struct type *t, struct strbuf *ret)
{
	size_t before = ret->len;
	t = type_unqualified(t);
	if (t && add_text(t, 0, ret))
		return true;
	ret->len = before;
	if (ret->data)
		ret->data[before] = 0;
	return false;
}
