#include "probe/scope.h"

#include <inttypes.h>
#include <string.h>

#include "unwind/table.h"

/* ---- the frame ---- */

/* The addresses of the function around the place: other CFI need not be compiled. */
static void bound_to_function(const struct probe_scope *s, struct unwind_source *from)
{
	dwarf_ranges ranges = {};
	dwarf_die_ranges(&s->function, &ranges);
	for (size_t i = 0; i < ranges.len; i++)
		if (s->address - ranges.data[i].start < ranges.data[i].end - ranges.data[i].start)
			from->from = ranges.data[i].start, from->to = ranges.data[i].end;
	vec_deinit(&ranges);
}

static void read_cfa(struct probe_scope *s)
{
	struct object *o = s->debug->object;
	const struct object_header *h = object_header(o);
	struct object_frames frames[4];
	unsigned n = object_frames(o, frames);
	if (s->debug->file)
		n += object_frames(s->debug->file, frames + n);
	struct unwind_source from = { frames, n, h->is_64bit, h->swap, 0, UINT64_MAX };
	bound_to_function(s, &from);
	struct unwind_table *t = unwind_table_build(&from);
	const struct unwind_rule *rule = t ? unwind_table_find(t, s->address) : NULL;
	s->has_cfa = true;
	s->knows_cfa = rule && (rule->kind == UNWIND_CFA_REG || rule->kind == UNWIND_CFA_DEREF);
	if (s->knows_cfa) {
		s->cfa_reg = rule->reg;
		s->cfa_offset = rule->value;
		s->cfa_deref = rule->kind == UNWIND_CFA_DEREF;
	}
	unwind_table_destroy(t);
}

static bool find_cfa(void *ctx, uint64_t addr, uint8_t *ret_reg, int64_t *ret_offset, bool *ret_deref)
{
	struct probe_scope *s = ctx;
	if (addr != s->address)
		return false;
	if (!s->has_cfa)
		read_cfa(s);
	*ret_reg = s->cfa_reg;
	*ret_offset = s->cfa_offset;
	*ret_deref = s->cfa_deref;
	return s->knows_cfa;
}

/* ---- which variables ---- */

static bool take_variable(void *ctx, const struct dwarf_variable *v)
{
	struct probe_scope *s = ctx;
	vec_push(&s->variables, *v);
	return true;
}

static uint64_t entry_of(const struct dwarf_die *function)
{
	dwarf_ranges ranges = {};
	uint64_t entry = dwarf_die_ranges(function, &ranges) ? ranges.data[0].start : 0;
	vec_deinit(&ranges);
	return entry;
}

struct strobe_error *probe_scope_open(const struct probe_debug *debug, struct dwarf_types *types, const struct probe_site *site,
				      struct arena *arena, struct probe_scope *ret)
{
	*ret = (struct probe_scope){ .debug = debug, .types = types, .arena = arena, .address = site->address,
				     .arch = object_header(debug->object)->arch };
	if (!dwarf_die_of_function(debug->dwarf, site->address, &ret->function))
		return error_create(ERROR_NOT_FOUND, "no function of the debug information of %s is at %#" PRIx64,
				    object_name(debug->object), site->address);
	ret->entry = entry_of(&ret->function);
	/* An alias of the function is not in the debug information. */
	bool is_function = !site->function && site->address == ret->entry;
	if (is_function)
		ret->scope = ret->function;
	else
		dwarf_scope_at(&ret->function, site->address, site->function, &ret->scope);
	ret->facts = (struct dwarf_frame_facts){ &ret->function, site->address, site->address == ret->entry, find_cfa, ret };
	dwarf_each_variable(&ret->scope, site->address, true, take_variable, ret);
	return NULL;
}

void probe_scope_close(struct probe_scope *s)
{
	vec_deinit(&s->variables);
}

const char *probe_scope_name(const struct probe_scope *s)
{
	const char *name = dwarf_die_name(&s->function);
	return name ? name : "";
}

/*
 * Lower ranks first: in scope, then not inlined, then innermost. Declarations come after definitions.
 */
static unsigned rank(const struct dwarf_variable *v)
{
	if (v->kind == DWARF_GLOBAL)
		return !dwarf_die_has(&v->die, DW_AT_location);
	return (v->in_scope ? 0 : 1u << 24) + v->calls * (1u << 12) + (v->blocks < 4095 ? 4095 - v->blocks : 0);
}

static const struct dwarf_variable *find_in(struct probe_scope *s, size_t from, const char *name)
{
	const struct dwarf_variable *best = NULL;
	for (size_t i = from; i < s->variables.len; i++) {
		const struct dwarf_variable *v = &s->variables.data[i];
		if (!strcmp(v->name, name) && (!best || rank(v) < rank(best)))
			best = v;
	}
	return best;
}

const struct dwarf_variable *probe_scope_find(struct probe_scope *s, const char *name)
{
	const struct dwarf_variable *found = find_in(s, 0, name), *other = NULL;
	if (found && found->in_scope)
		return found;
	/* Nothing that vec_push() moves is used after it. */
	size_t index = found ? (size_t)(found - s->variables.data) : 0, before = s->variables.len;
	if (s->scope.offset != s->function.offset) {
		dwarf_each_variable(&s->function, s->address, false, take_variable, s);
		other = find_in(s, before, name);
	}
	if (!other) {
		before = s->variables.len;
		dwarf_each_global(&s->function, take_variable, s);
		other = find_in(s, before, name);
	}
	return other ? other : found ? &s->variables.data[index] : NULL;
}

struct locations probe_scope_locate(const struct probe_scope *s, const struct dwarf_variable *v)
{
	return dwarf_locate(&v->die, &s->facts, s->arena);
}

/* ---- where else ---- */

struct range_list {
	const struct probe_scope *scope;
	struct strbuf *text;
	uint64_t nearest;
	bool has_any;
};

static void add_range(struct range_list *l, uint64_t start, uint64_t end)
{
	uint64_t entry = l->scope->entry;
	if (l->text)
		strbuf_addf(l->text, "%s%" PRIu64 "-%" PRIu64, l->has_any ? "," : "[", start - entry, end - entry);
	uint64_t at = l->scope->address, was = l->nearest, far = was > at ? was - at : at - was;
	if (!l->has_any || (start > at ? start - at : at - start) < far)
		l->nearest = start;
	l->has_any = true;
}

static bool take_range(void *ctx, const struct dwarf_range *range, const uint8_t *expression, size_t bytes)
{
	(void)expression;
	if (bytes)
		add_range(ctx, range->start, range->end);
	return true;
}

/* Without a list, the location is valid in its whole scope. */
static void each_range(struct range_list *l, const struct dwarf_variable *v)
{
	struct dwarf_die from, constant;
	struct dwarf_value value = dwarf_die_inherited(&v->die, DW_AT_location, &from);
	bool has_value = value.class || dwarf_die_inherited(&v->die, DW_AT_const_value, &constant).class;
	if (!has_value || (value.class && dwarf_each_location(&from, &value, take_range, l)))
		return;
	dwarf_ranges ranges = {};
	dwarf_die_ranges(&v->scope, &ranges);
	for (size_t i = 0; i < ranges.len; i++)
		add_range(l, ranges.data[i].start, ranges.data[i].end);
	vec_deinit(&ranges);
}

void probe_scope_ranges(const struct probe_scope *s, const struct dwarf_variable *v, struct strbuf *ret)
{
	struct range_list l = { .scope = s, .text = ret };
	each_range(&l, v);
	if (l.has_any)
		strbuf_addch(ret, ']');
}

bool probe_scope_nearest(const struct probe_scope *s, const struct dwarf_variable *v, struct strbuf *ret)
{
	struct range_list l = { .scope = s };
	struct dwarf_frame at;
	each_range(&l, v);
	if (!l.has_any || l.nearest == s->address)
		return false;
	strbuf_addstr(ret, "it is alive from ");
	if (dwarf_line(s->debug->dwarf, l.nearest, &at) && at.line)
		strbuf_addf(ret, "line %" PRIu32 " (%s+%" PRIu64 ") on", at.line, probe_scope_name(s), l.nearest - s->entry);
	else
		strbuf_addf(ret, "%s+%" PRIu64 " on", probe_scope_name(s), l.nearest - s->entry);
	return true;
}

struct second_row {
	uint64_t entry, end;
};

static void take_row(void *ctx, uint64_t addr, const char *file, uint32_t line)
{
	struct second_row *r = ctx;
	(void)file;
	if (line && addr > r->entry && addr < r->end)
		r->end = addr;
}

bool probe_scope_in_prologue(const struct probe_scope *s, uint64_t *ret_end)
{
	struct second_row r = { s->entry, UINT64_MAX };
	dwarf_each_line(s->debug->dwarf, s->entry, take_row, &r);
	*ret_end = r.end;
	return s->address >= s->entry && s->address < r.end;
}
