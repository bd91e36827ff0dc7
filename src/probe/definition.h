/*
 * Parser of probe definitions:
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][+OFFSET|%return|:LINE|;PATTERN] [[NAME=]VALUE[:TYPE][@user] …]
 *	[[GROUP:]EVENT=][@]SRC:LINE [ARG …]   [[GROUP:]EVENT=][@]SRC;PATTERN [ARG …]
 *	[[GROUP:]EVENT=]0xADDRESS [ARG …]     [[GROUP:]EVENT=]%[sdt_PROVIDER:]NAME
 *
 * A place is a file if it begins with '@', or has one of ":;" after a dot, and none of "+@%". A "::" belongs to a name. A backslash
 * escapes the next character: "free\@GLIBC_2.2.5"; quotation marks do so for all characters between them: "'core::fmt::write':3".
 * Strings live in the arena. Source: perf-probe(1).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"

struct probe_point {
	const char *function; /* may be a glob; NULL: a place in a file, an address or a marker */
	const char *file;     /* the source file; NULL: any */
	const char *pattern;  /* of source lines; or NULL */
	const char *marker;   /* NAME or sdt_PROVIDER:NAME; or NULL */
	uint64_t offset;      /* bytes after the start of the function; for an address, the address */
	uint32_t line;        /* of the file, or relative to the declaration of the function */
	bool has_line;
	bool is_address;
	bool is_return;
};

struct probe_argument {
	const char *name;  /* NULL: the kernel's ("arg1"), or that of the variable */
	const char *value; /* what is fetched */
	const char *type;  /* or NULL */
	bool in_user_memory;
};

struct probe_definition {
	const char *group, *event; /* NULL: derived from the place */
	struct probe_point point;
	VEC(struct probe_argument) arguments;
};

/* ERROR_USAGE names the invalid part. Call probe_definition_deinit() also after an error. */
struct strobe_error *probe_definition_parse(const char *text, struct arena *arena, struct probe_definition *ret) _must_check_;
void probe_definition_deinit(struct probe_definition *d);

/* A valid name of a group, an event or an argument: letters, digits and underscores, without a leading digit. */
bool probe_name_is_good(const char *name);
/* Removes backslashes before characters, and quotation marks, in place; returns the text. */
char *probe_unquote(char *text);
/* Whether the argument requires debug information: it names a variable, or all of them ($vars, $params). */
bool probe_argument_is_variable(const struct probe_argument *a);
/* "n=%di:s64": in the syntax of tracefs, with the name if given. */
void probe_argument_text(const struct probe_argument *a, struct strbuf *ret);
/* "mid+4", "mid%return", "@b.c:6": as a user may write it. */
void probe_point_text(const struct probe_point *p, struct strbuf *ret);
