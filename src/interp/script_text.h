/*
 * What code of scripts is called, from the parts that the interpreter has of it. Parts are hostile: names come out in UTF-8 without NUL,
 * cut where they are longer than there is room.
 */
#pragma once
#include "interp/python.h"
#include "interp/layouts.h"

struct script_bytes {
	const char *data;
	size_t n;
};

struct script_parts {
	enum script_kind kind;
	uint32_t form; /* of PHP and Perl: what it is code of (enum php_form, enum perl_form) */
	const struct python_layout *python;    /* of Python, whose parts are objects */
	struct script_bytes name, file, owner; /* owner: a class or package (PHP, Perl) */
};

/* "fib", "Key::of" (PHP, Perl), "{main}", "block in sort" (Ruby); false: none. */
bool script_name(const struct script_parts *parts, char *ret, size_t cap);
bool script_file(const struct script_parts *parts, char *ret, size_t cap);
