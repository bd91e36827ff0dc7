/*
 * Types of a program's or the kernel's data, from debug information (DWARF, BTF).
 *
 * A type is read when it is first needed: struct type has its basic data; type_target(), type_members() and type_enumerators() read
 * and cache the rest. Types and their strings live as long as their source; the same type of a source is the same pointer. One thread
 * at a time for each source.
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
	TYPE_FUNCTION,                /* target: the return type, NULL = void */
	TYPE_TYPEDEF, TYPE_QUALIFIED, /* const, volatile, restrict, atomic; target: the type itself */
	TYPE_OTHER,                   /* has a name, and possibly a size */
};

struct type_source;

struct type {
	enum type_kind kind;
	bool is_signed;
	bool is_declaration; /* a struct without members, defined elsewhere */
	/* A C++ class that is passed and returned by address. Known once the members are read; theirs count as well. */
	bool is_by_reference;
	bool says_bytes;     /* whether bytes is from the debug information itself */
	const char *name;    /* NULL = anonymous */
	uint64_t bytes;      /* 0 = unknown */
	uint64_t count;      /* number of array elements, 0 = unknown */
	/* The rest is private to the source. */
	struct type_source *source;
	uint64_t id;
	const struct type *target;
	const struct type_member *members;
	const struct type_enumerator *enumerators;
	size_t members_nr, enumerators_nr;
	bool has_target, has_members, has_enumerators;
};

struct type_member {
	const char *name;        /* NULL: an anonymous struct or union, whose members belong to the enclosing one */
	const struct type *type; /* NULL: unknown */
	uint64_t bit_offset;     /* from the start of the struct */
	uint32_t bits;           /* of a bit field; 0: not a bit field */
	bool is_base;            /* a base class */
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

/* NULL = void, or none. */
const struct type *type_target(const struct type *t);
const struct type_member *type_members(const struct type *t, size_t *ret_nr);
const struct type_enumerator *type_enumerators(const struct type *t, size_t *ret_nr);
/* The name of a value; NULL: none. */
const char *type_enumerator_name(const struct type *t, int64_t value);

/* Without typedefs and qualifiers, or only without qualifiers. NULL stays NULL. */
const struct type *type_strip(const struct type *t);
const struct type *type_unqualified(const struct type *t);
/* The size of a value, through typedefs and arrays. 0 = unknown. */
uint64_t type_bytes(const struct type *t);

/* Finds a member by name, also within anonymous members and base classes; ret->bit_offset counts from the start of t. False: none. */
bool type_find_member(const struct type *t, const char *name, struct type_member *ret);

/* "struct st*", "int[]", "(function_type)*", "void*": in the format of perf probe -V, without qualifiers. False: unknown. */
bool type_text(const struct type *t, struct strbuf *ret);
