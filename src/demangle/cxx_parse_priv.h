/*
 * Shared by the files that parse mangled C++ names: the parser state, reading of letters and numbers, and functions of each file.
 *
 * cxx_name.c reads names, cxx_type.c types and template arguments, cxx_expression.c expressions, cxx_parse.c encodings.
 * A failed parser has no input left and stays bad; the nodes made so far stay in the arena.
 */
#pragma once
#include <stddef.h>
#include <string.h>

#include "base/vector.h"
#include "demangle/cxx_tree.h"
#include "demangle/letters.h"

#define DEPTH_MAX 300
#define STEPS_MAX 100000 /* against exponential time: the one place that looks ahead could be nested */

struct parser {
	struct arena *arena;
	const char *p;
	int depth, steps;
	bool bad;
	bool in_conversion; /* inside the type of a conversion operator */
	VEC(struct cxx_node *) substitutions; /* S_, S0_, S1_ … */
};

/* These return NULL if the input is invalid. */
struct cxx_node *cxx_parse_encoding(struct parser *p, bool local);
struct cxx_node *cxx_parse_name(struct parser *p);
/* Also returns the qualifiers of this: CXX_THIS_*. */
struct cxx_node *cxx_parse_name_of(struct parser *p, uint32_t *ret_this);
/* class: the class of a constructor or destructor, or NULL. */
struct cxx_node *cxx_parse_unqualified_name(struct parser *p, const struct cxx_node *class);
struct cxx_node *cxx_parse_source_name(struct parser *p);
struct cxx_node *cxx_parse_prefixes(struct parser *p);
struct cxx_node *cxx_parse_template_param(struct parser *p);
struct cxx_node *cxx_parse_template_args(struct parser *p);
struct cxx_node *cxx_parse_template_arg(struct parser *p);
struct cxx_node *cxx_parse_type(struct parser *p);
struct cxx_node *cxx_parse_types(struct parser *p, bool to_end);
struct cxx_node *cxx_parse_expression(struct parser *p);
struct cxx_node *cxx_parse_literal(struct parser *p);

static inline struct cxx_node *fail(struct parser *p)
{
	p->bad = true;
	p->p = "";
	return NULL;
}

/* Every call is paired with p->depth--. */
static inline bool enter(struct parser *p)
{
	if (++p->depth > DEPTH_MAX || ++p->steps > STEPS_MAX)
		fail(p);
	return !p->bad;
}

static inline bool take(struct parser *p, char c)
{
	if (*p->p != c)
		return false;
	p->p++;
	return true;
}

static inline bool take2(struct parser *p, const char *two)
{
	if (p->p[0] != two[0] || p->p[1] != two[1])
		return false;
	p->p += 2;
	return true;
}

static inline void expect(struct parser *p, char c)
{
	if (!take(p, c))
		fail(p);
}

static inline struct cxx_node *make(struct parser *p, enum cxx_kind kind, struct cxx_node *a, struct cxx_node *b)
{
	struct cxx_node *n = arena_alloc(p->arena, sizeof(*n));
	*n = (struct cxx_node){ .kind = kind, .a = a, .b = b };
	return n;
}

static inline struct cxx_node *make_text(struct parser *p, enum cxx_kind kind, const char *text, size_t bytes)
{
	struct cxx_node *n = make(p, kind, NULL, NULL);
	n->text = text;
	n->text_bytes = (uint32_t)bytes;
	return n;
}

/* Appends a to a list that is being built; *tail is the location for the next element. */
static inline void list_add(struct parser *p, struct cxx_node **tail, struct cxx_node *a)
{
	(*tail)->a = a;
	(*tail)->b = make(p, CXX_LIST, NULL, NULL);
	*tail = (*tail)->b;
}

/* Adds a node that S_, S0_ … may refer to from here on. */
static inline void substitute(struct parser *p, struct cxx_node *n)
{
	if (n && !p->bad)
		vec_push(&p->substitutions, n);
}

/* Up to 999999; *ret_any: whether there was a digit. */
static inline uint32_t parse_digits(struct parser *p, bool *ret_any)
{
	uint32_t n = 0;
	*ret_any = is_digit(*p->p);
	for (; is_digit(*p->p); p->p++)
		if (n < 1000000)
			n = n * 10 + (uint32_t)(*p->p - '0');
	return n;
}

/* [<number>] _: 0 without a number, else the number plus one. */
static inline uint32_t parse_index(struct parser *p)
{
	bool any;
	uint32_t n = parse_digits(p, &any);
	expect(p, '_');
	return any ? n + 1 : 0;
}
