/*
 * Shared by the files that print C++ names: names (cxx_print.c), types (cxx_print_type.c) and expressions
 * (cxx_print_expression.c). A printer turns bad if the tree cannot be printed, and then prints nothing more. One thread.
 */
#pragma once
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "demangle/cxx_tree.h"

#define DEPTH_MAX  1000
#define STEPS_MAX  500000
#define OUTPUT_MAX ((size_t)256 << 10)

/* The template arguments that T_ refers to, from the inside out: an argument is printed in the enclosing scope. */
struct cxx_scope {
	const struct cxx_node *args;
	const struct cxx_scope *next;
};

struct printer {
	struct arena *arena;
	struct strbuf *out;
	const struct cxx_scope *scope;
	const struct cxx_node *template; /* the template whose name is printed: T_ in a conversion refers to it */
	size_t from;      /* where this text begins in out */
	size_t erased_at; /* where a comma was removed; SIZE_MAX: nowhere */
	int depth, steps;
	bool bad;
	bool in_lambda;     /* parameters of a lambda: T_ is auto:1 */
	int pack_index;     /* the current element of packs; -1 outside of expansions */
	bool in_array;      /* the element type of an array is printed */
	unsigned context_uses; /* how often the text depended on its context: scope, pack_index, in_lambda, template */
};

/* Prints a node of any kind. */
void cxx_print_node(struct printer *p, const struct cxx_node *n);
/* Prints elements, with commas between those that print something. */
void cxx_print_list(struct printer *p, const struct cxx_node *list);
void cxx_print_param(struct printer *p, const struct cxx_node *n);
void cxx_print_type(struct printer *p, const struct cxx_node *n);
void cxx_print_left(struct printer *p, const struct cxx_node *n);
void cxx_print_right(struct printer *p, const struct cxx_node *n);
/* Prints what follows a member function: const, noexcept and others. */
void cxx_print_this(struct printer *p, const struct cxx_node *n);
void cxx_print_expression(struct printer *p, const struct cxx_node *n);
/* Prints in parentheses, unless it is only a name. */
void cxx_print_subexpression(struct printer *p, const struct cxx_node *n);
/* The argument of a template parameter in this scope; NULL (and bad) if there is none. */
const struct cxx_node *cxx_resolve(struct printer *p, const struct cxx_node *n);
/* The first pack in an expansion's pattern; NULL: none. */
const struct cxx_node *cxx_find_pack(struct printer *p, const struct cxx_node *n, int depth);

/* A name consists of dozens of pieces of a few bytes: this copies without a call. cxx_print() adds the NUL at the end. */
static inline __attribute__((always_inline)) void add_n(struct printer *p, const char *s, size_t n)
{
	struct strbuf *out = p->out;
	if (p->bad)
		return;
	if (__builtin_expect(out->cap - out->len <= n, 0)) {
		strbuf_add(out, s, n);
		return;
	}
	memcpy(out->data + out->len, s, n);
	out->len += n;
}

static inline __attribute__((always_inline)) void add(struct printer *p, const char *s)
{
	add_n(p, s, strlen(s));
}

static inline void add_number(struct printer *p, uint32_t n)
{
	if (!p->bad)
		strbuf_addf(p->out, "%u", n);
}

static inline void add_numbered(struct printer *p, const char *before, uint32_t n, const char *after)
{
	add(p, before);
	add_number(p, n);
	add(p, after);
}

static inline char last(const struct printer *p)
{
	if (p->erased_at == p->out->len)
		return ' ';
	return p->out->len > p->from ? p->out->data[p->out->len - 1] : 0;
}

static inline bool enter(struct printer *p, const struct cxx_node *n)
{
	if (p->bad || !n || ++p->depth > DEPTH_MAX || ++p->steps > STEPS_MAX || p->out->len - p->from > OUTPUT_MAX) {
		p->bad = true;
		return false;
	}
	return true;
}

/* Element i of a list, or NULL. */
static inline const struct cxx_node *list_element(const struct cxx_node *list, int i)
{
	while (list && i-- > 0)
		list = list->b;
	return list ? list->a : NULL;
}

static inline int list_length(const struct cxx_node *list)
{
	int n = 0;
	for (; list && list->a; list = list->b)
		n++;
	return n;
}

/* Notes that the text depends on the context of the node: see print_once(). */
static inline void use_context(struct printer *p)
{
	p->context_uses++;
}

/* State saved while a parameter's argument is printed in its own scope. Restored by leave_param. */
struct outside {
	const struct cxx_scope *scope;
	int pack_index;
};

static inline struct outside enter_param(struct printer *p)
{
	struct outside was = { p->scope, p->pack_index };
	if (p->scope)
		p->scope = p->scope->next;
	p->pack_index = -1;
	return was;
}

static inline void leave_param(struct printer *p, struct outside was)
{
	p->scope = was.scope;
	p->pack_index = was.pack_index;
}
