#include "values/dwarf_variables.h"

#include <string.h>

#define DEPTH_MAX 256

static bool is_block(unsigned tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* ---- scopes ---- */

struct scope_search {
	uint64_t addr;
	const char *name;
	struct dwarf_die found;
	bool is_found;
};

/* Its code may begin at an address without instructions: the range there is empty, and outside of the DIE's ranges. */
static bool begins_at(const struct dwarf_die *d, uint64_t addr)
{
	uint64_t entry;
	struct dwarf_value v = dwarf_die_value(d, DW_AT_entry_pc);
	return v.class && v.class != DWARF_CONSTANT && dwarf_die_address(d, &v, &entry) && entry == addr;
}

/* Inlined calls around the address, outermost first: the last one with the name is taken. */
static void search_scope(struct scope_search *s, const struct dwarf_die *within, unsigned depth)
{
	struct dwarf_die d;
	for (bool more = depth < DEPTH_MAX && dwarf_die_child(within, &d); more; more = dwarf_die_sibling(&d, &d)) {
		unsigned tag = d.tag;
		bool is_inlined = tag == DW_TAG_inlined_subroutine;
		bool is_there = (is_inlined || is_block(tag)) && dwarf_die_has_address(&d, s->addr);
		if (!is_there && !(is_inlined && s->name && begins_at(&d, s->addr)))
			continue;
		const char *name = is_inlined ? dwarf_die_name(&d) : NULL;
		if (name && (!s->name || !strcmp(s->name, name))) {
			s->found = d;
			s->is_found = true;
		}
		search_scope(s, &d, depth + 1);
	}
}

/* The same of a call that begins there, by its name, whatever is around it: that may have no instruction of its own there, either. */
static void search_entry(struct scope_search *s, const struct dwarf_die *within, unsigned depth)
{
	struct dwarf_die d;
	for (bool more = depth < DEPTH_MAX && dwarf_die_child(within, &d); more && !s->is_found; more = dwarf_die_sibling(&d, &d)) {
		bool is_inlined = d.tag == DW_TAG_inlined_subroutine;
		const char *name = is_inlined && begins_at(&d, s->addr) ? dwarf_die_name(&d) : NULL;
		if (name && !strcmp(s->name, name)) {
			s->found = d;
			s->is_found = true;
		} else if (is_inlined || is_block(d.tag)) {
			search_entry(s, &d, depth + 1);
		}
	}
}

bool dwarf_scope_at(const struct dwarf_die *function, uint64_t addr, const char *name, struct dwarf_die *ret)
{
	const char *own = dwarf_die_name(function);
	*ret = *function;
	if (name && own && !strcmp(own, name))
		return true;
	struct scope_search s = { .addr = addr, .name = name };
	search_scope(&s, function, 0);
	if (name && !s.is_found)
		search_entry(&s, function, 0);
	if (s.is_found)
		*ret = s.found;
	return s.is_found || !name;
}

/* ---- variables ---- */

struct variable_walk {
	uint64_t addr;
	bool all;
	bool (*fn)(void *ctx, const struct dwarf_variable *v);
	void *ctx;
};

static bool give(const struct variable_walk *w, const struct dwarf_die *d, const struct dwarf_variable *within)
{
	struct dwarf_variable v = *within;
	v.kind = d->tag == DW_TAG_formal_parameter ? DWARF_PARAMETER : DWARF_LOCAL;
	v.die = *d;
	v.name = dwarf_die_name(d);
	return !v.name || w->fn(w->ctx, &v);
}

/* False once fn has returned false. */
static bool walk(const struct variable_walk *w, const struct dwarf_die *scope, const struct dwarf_variable *within, unsigned depth)
{
	struct dwarf_die d;
	for (bool more = depth < DEPTH_MAX && dwarf_die_child(scope, &d); more; more = dwarf_die_sibling(&d, &d)) {
		unsigned tag = d.tag;
		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) {
			if (!give(w, &d, within))
				return false;
		} else if (is_block(tag) || tag == DW_TAG_inlined_subroutine) {
			struct dwarf_variable in = *within;
			in.in_scope = within->in_scope && dwarf_die_has_address(&d, w->addr);
			in.blocks += is_block(tag);
			in.calls += !is_block(tag);
			in.scope = d;
			if ((in.in_scope || w->all) && !walk(w, &d, &in, depth + 1))
				return false;
		}
	}
	return true;
}

void dwarf_each_variable(const struct dwarf_die *scope, uint64_t addr, bool all,
			 bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx)
{
	struct variable_walk w = { addr, all, fn, ctx };
	struct dwarf_variable within = { .in_scope = true, .scope = *scope };
	walk(&w, scope, &within, 0);
}

static bool walk_globals(const struct variable_walk *w, const struct dwarf_die *scope, unsigned depth)
{
	struct dwarf_die d;
	for (bool more = depth < DEPTH_MAX && dwarf_die_child(scope, &d); more; more = dwarf_die_sibling(&d, &d)) {
		struct dwarf_variable v = { .kind = DWARF_GLOBAL, .die = d, .in_scope = true, .scope = *scope };
		if (d.tag == DW_TAG_namespace && !walk_globals(w, &d, depth + 1))
			return false;
		if (d.tag != DW_TAG_variable)
			continue;
		v.name = dwarf_die_name(&d);
		if (v.name && !w->fn(w->ctx, &v))
			return false;
	}
	return true;
}

void dwarf_each_global(const struct dwarf_die *of, bool (*fn)(void *ctx, const struct dwarf_variable *v), void *ctx)
{
	struct variable_walk w = { .fn = fn, .ctx = ctx };
	struct dwarf_die root;
	if (dwarf_die_root(of, &root))
		walk_globals(&w, &root, 0);
}
