/*
 * Names of script code, from the interpreter's data. Input is hostile: names are valid UTF-8 without NUL, truncated to the size of
 * the buffer.
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
	uint32_t form; /* for PHP and Perl: origin of the code (enum php_form, enum perl_form) */
	const struct python_layout *python;    /* for Python, whose parts are objects */
	struct script_bytes name, file, owner; /* owner: a class or package (PHP, Perl) */
};

/* "fib", "Key::of" (PHP, Perl), "{main}", "block in sort" (Ruby); false: none. */
bool script_name(const struct script_parts *parts, char *ret, size_t cap);
bool script_file(const struct script_parts *parts, char *ret, size_t cap);
