/*
 * Types of a program's or the kernel's data, as debug information (DWARF, BTF) describes them.
 *
 * A type is read when it is first needed: struct type has what is known of a type at once, type_target(), type_members() and
 * type_enumerators() read the rest of it and keep it. Types and their strings live as long as the source that they come from;
 * the same type of a source is the same pointer. One thread at a time for each source.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INTEGER, TYPE_BOOLEAN, TYPE_CHARACTER, TYPE_FLOAT,
	TYPE_POINTER, TYPE_REFERENCE, /* target: NULL = void */
	TYPE_ARRAY,                   /* target: the element */
	TYPE_STRUCT, TYPE_CLASS, TYPE_UNION,
	TYPE_ENUM,
	TYPE_FUNCTION,                /* target: what it returns, NULL = void */
	TYPE_TYPEDEF, TYPE_QUALIFIED, /* const, volatile, restrict, atomic; target: the type itself */
	TYPE_OTHER,                   /* a name, and perhaps a size */
};

struct type_source;

struct type {
	enum type_kind kind;
	bool is_signed;
	bool is_declaration; /* of a struct that is defined elsewhere: no members */
	/* Of a class of C++: functions are given, and give back, where it lies. Known once the members are; theirs count as well. */
	bool is_by_reference;
	bool says_bytes;     /* whether the debug information itself says bytes */
	const char *name;    /* NULL = anonymous */
	uint64_t bytes;      /* 0 = not known */
	uint64_t count;      /* of an array's elements, 0 = not known */
	/* What follows is the source's. */
	struct type_source *source;
	uint64_t id;
	const struct type *target;
	const struct type_member *members;
	const struct type_enumerator *enumerators;
	size_t members_nr, enumerators_nr;
	bool has_target, has_members, has_enumerators;
};

struct type_member {
	const char *name;        /* NULL: an anonymous struct or union, whose members belong to the outer one */
	const struct type *type; /* NULL: unknown */
	uint64_t bit_offset;     /* from the start of the struct */
	uint32_t bits;           /* of a bit field; 0: it is none */
	bool is_base;            /* what a class inherits */
};

struct type_enumerator {
	const char *name;
	int64_t value;
};

/* A source fills what is requested. */
struct type_source {
	void (*load_target)(struct type_source *s, struct type *t);
	void (*load_members)(struct type_source *s, struct type *t);
	void (*load_enumerators)(struct type_source *s, struct type *t);
};

/* NULL = void, or there is none. */
const struct type *type_target(const struct type *t);
const struct type_member *type_members(const struct type *t, size_t *ret_nr);
const struct type_enumerator *type_enumerators(const struct type *t, size_t *ret_nr);
/* The name of a value; NULL where it has none. */
const char *type_enumerator_name(const struct type *t, int64_t value);

/* Without typedefs and qualifiers, or without qualifiers alone. NULL stays NULL. */
const struct type *type_strip(const struct type *t);
const struct type *type_unqualified(const struct type *t);
/* Of a value: what typedefs and arrays do not say is computed. 0 = not known. */
uint64_t type_bytes(const struct type *t);

/*
 * The member of that name, also within anonymous members and base classes; ret->bit_offset counts from the start of t. False: none.
 */
bool type_find_member(const struct type *t, const char *name, struct type_member *ret);

/* "struct st*", "int[]", "(function_type)*", "void*": as perf's probe -V prints types, without qualifiers. False: unknown. */
bool type_text(const struct type *t, struct strbuf *ret);
