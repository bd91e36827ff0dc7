/* Functions of a unit, and the inlined calls within a function. */
#include <stdlib.h>

#include "base/mem.h"
#include "object/dwarf/priv.h"

#define REFERENCES_MAX 16 /* maximum length of a chain of abstract origins and specifications */

/* What is read of a function or an inlined call besides where its code is. */
struct die {
	struct dwarf_value name, linkage, origin, specification;
	uint64_t call_file, call_line, call_column;
};

static void take_attr(struct die *d, uint16_t name, struct dwarf_value v)
{
	switch (name) {
	case DW_AT_name: d->name = v; break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: d->linkage = v; break;
	case DW_AT_abstract_origin: d->origin = v; break;
	case DW_AT_specification: d->specification = v; break;
	case DW_AT_call_file: d->call_file = v.u; break;
	case DW_AT_call_line: d->call_line = v.u; break;
	case DW_AT_call_column: d->call_column = v.u; break;
	}
}

#define PLACES_OF_NAME                                                                                                        \
	(1u << PLACED_NAME | 1u << PLACED_LINKAGE_NAME | 1u << PLACED_ORIGIN | 1u << PLACED_SPECIFICATION)
#define PLACES_OF_CODE (1u << PLACED_SIBLING | 1u << PLACED_LOW_PC | 1u << PLACED_HIGH_PC | 1u << PLACED_RANGES)
#define PLACES_OF_CALL (PLACES_OF_NAME | 1u << PLACED_CALL_FILE | 1u << PLACED_CALL_LINE | 1u << PLACED_CALL_COLUMN)

/* Whether those of the attributes that the DIE has are at places that are known. */
static bool are_placed(const struct dwarf_abbrev *a, unsigned places)
{
	return !(a->has & places & ~a->placed);
}

/* Goes over the first nr attributes. */
static bool read_attrs(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a, uint32_t nr, struct die *ret)
{
	const struct dwarf_attr *attr = u->abbrevs->attrs.data + a->first;
	for (uint32_t i = 0; i < nr && !c.bad; i++)
		take_attr(ret, attr[i].name, dwarf_read_form(u, &c, attr[i].form, attr[i].constant));
	return !c.bad;
}

static void read_name_places(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a, struct die *ret)
{
	ret->name = dwarf_read_placed(u, c, a, PLACED_NAME);
	ret->linkage = dwarf_read_placed(u, c, a, PLACED_LINKAGE_NAME);
	ret->origin = dwarf_read_placed(u, c, a, PLACED_ORIGIN);
	ret->specification = dwarf_read_placed(u, c, a, PLACED_SPECIFICATION);
}

static struct dwarf_pc read_pc_places(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a)
{
	return (struct dwarf_pc){
		.low = dwarf_read_placed(u, c, a, PLACED_LOW_PC),
		.high = dwarf_read_placed(u, c, a, PLACED_HIGH_PC),
		.ranges = dwarf_read_placed(u, c, a, PLACED_RANGES),
	};
}

/* Its attributes begin at c. */
static bool read_die(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a, struct die *ret)
{
	*ret = (struct die){};
	if (!are_placed(a, PLACES_OF_CALL))
		return read_attrs(u, c, a, a->nr, ret);
	read_name_places(u, c, a, ret);
	ret->call_file = dwarf_read_placed(u, c, a, PLACED_CALL_FILE).u;
	ret->call_line = dwarf_read_placed(u, c, a, PLACED_CALL_LINE).u;
	ret->call_column = dwarf_read_placed(u, c, a, PLACED_CALL_COLUMN).u;
	return true;
}

/* What names it, or leads to a DIE that does. */
static bool read_naming(const struct dwarf_unit *u, struct cursor c, const struct dwarf_abbrev *a, struct die *ret)
{
	*ret = (struct die){};
	if (!are_placed(a, PLACES_OF_NAME))
		return read_attrs(u, c, a, a->naming_nr, ret);
	read_name_places(u, c, a, ret);
	return true;
}

/* Goes over its attributes. */
static bool read_code(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrev *a, struct dwarf_pc *ret,
		      struct dwarf_value *ret_sibling)
{
	const struct dwarf_attr *attr = u->abbrevs->attrs.data + a->first;
	*ret = read_pc_places(u, *c, a);
	*ret_sibling = dwarf_read_placed(u, *c, a, PLACED_SIBLING);
	if (are_placed(a, PLACES_OF_CODE))
		return dwarf_skip_attrs(u, c, u->abbrevs, a);
	for (uint32_t i = 0; i < a->nr && !c->bad; i++) {
		struct dwarf_value *to = attr[i].name == DW_AT_low_pc  ? &ret->low :
					 attr[i].name == DW_AT_high_pc ? &ret->high :
					 attr[i].name == DW_AT_ranges  ? &ret->ranges :
					 attr[i].name == DW_AT_sibling ? ret_sibling : NULL;
		if (to)
			*to = dwarf_read_form(u, c, attr[i].form, attr[i].constant);
		else
			dwarf_skip_form(u, c, attr[i].form);
	}
	return !c->bad;
}

struct cursor dwarf_cursor_at(const struct dwarf_unit *u, uint64_t offset)
{
	struct cursor c = u->file->sections[DWARF_INFO];
	if (cursor_left(&c) >= u->end)
		c.end = c.start + u->end;
	cursor_seek(&c, (size_t)offset);
	return c;
}

/*
 * Whether no function with code is below the entry. True for types with sibling attributes, as from GCC, which defines methods outside
 * of them; Rust, which does not, writes no siblings.
 */
static bool holds_no_functions(const struct dwarf_abbrev *a)
{
	switch (a->tag) {
	case DW_TAG_array_type: case DW_TAG_class_type: case DW_TAG_enumeration_type: case DW_TAG_structure_type:
	case DW_TAG_subroutine_type: case DW_TAG_union_type: case DW_TAG_inlined_subroutine: case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return a->has_children && a->has_sibling;
	default:
		return false;
	}
}

/* Moves to the sibling at `to`; false: not further on. */
static bool go_on_at(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_value *to)
{
	bool is_ahead = to->class == DWARF_REFERENCE && to->u > cursor_offset(c) && to->u < u->end;
	return !c->bad && is_ahead && cursor_seek(c, (size_t)to->u);
}

bool dwarf_skip_with_children(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrev *a)
{
	const struct dwarf_attr *attr = u->abbrevs->attrs.data + a->first;
	struct dwarf_value sibling = dwarf_read_placed(u, *c, a, PLACED_SIBLING);
	if (go_on_at(u, c, &sibling))
		return true;
	sibling = (struct dwarf_value){};
	for (uint32_t i = 0; i < a->nr && !c->bad; i++) {
		if (attr[i].name == DW_AT_sibling)
			sibling = dwarf_read_form(u, c, attr[i].form, attr[i].constant);
		else
			dwarf_skip_form(u, c, attr[i].form);
	}
	return go_on_at(u, c, &sibling);
}

/* Skips a DIE; true if its children were skipped as well. */
static bool skip_die(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrev *a)
{
	if (holds_no_functions(a))
		return dwarf_skip_with_children(u, c, a);
	dwarf_skip_attrs(u, c, u->abbrevs, a);
	return false;
}

struct function_builder {
	struct dwarf_unit *u;
	VEC(struct dwarf_function) functions;
	dwarf_owned_list owned;
	dwarf_ranges ranges;
	bool within; /* also look for nested functions, which means reading most of the unit */
	bool has_skipped;
};

static void add_function(struct function_builder *b, uint64_t die, const struct dwarf_pc *pc)
{
	vec_clear(&b->ranges);
	dwarf_read_pc(b->u, pc, &b->ranges);
	for (size_t i = 0; i < b->ranges.len; i++) {
		struct dwarf_owned o = { b->ranges.data[i], (uint32_t)b->functions.len };
		vec_push(&b->owned, o);
	}
	if (b->ranges.len)
		vec_push(&b->functions, ((struct dwarf_function){ .die = die }));
}

/* Reads the DIE of a function; true if its children were skipped, false if they follow, or at the end of the unit. */
static bool read_function(struct function_builder *b, struct cursor *c, const struct dwarf_abbrev *a, uint64_t offset)
{
	struct dwarf_value sibling;
	struct dwarf_pc pc;
	if (!a->has_code && (b->within || !a->has_children || !a->has_sibling)) {
		dwarf_skip_attrs(b->u, c, b->u->abbrevs, a);
		return false;
	}
	if (!a->has_code) {
		bool is_passed = dwarf_skip_with_children(b->u, c, a);
		b->has_skipped |= is_passed;
		return is_passed;
	}
	if (!read_code(b->u, c, a, &pc, &sibling))
		return false;
	add_function(b, offset, &pc);
	if (b->within || !a->has_children || !go_on_at(b->u, c, &sibling))
		return false;
	b->has_skipped = true;
	return true;
}

/* One walk over the DIEs of the unit, skipping everything but functions. */
static void walk_unit(struct function_builder *b)
{
	struct dwarf_unit *u = b->u;
	struct cursor c = dwarf_cursor_at(u, u->dies);
	for (uint64_t depth = 0; cursor_left(&c) && !c.bad;) {
		uint64_t offset = cursor_offset(&c), code = cursor_uleb(&c);
		if (!code) {
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		const struct dwarf_abbrev *a = dwarf_abbrev_find(u->abbrevs, code);
		if (!a)
			break;
		depth += a->has_children;
		depth -= a->tag == DW_TAG_subprogram ? read_function(b, &c, a, offset) : skip_die(u, &c, a);
		if (!depth)
			break; /* a root without children */
	}
}

void dwarf_read_functions(struct dwarf_unit *u, struct dwarf_functions *to)
{
	struct function_builder b = { .u = u, .within = to == &u->nested };
	(void)dwarf_unit_prepare(u);
	if (!u->abbrevs)
		return;
	walk_unit(&b);
	struct arena *arena = &u->functions_share.arena;
	to->at = arena_memdup(arena, b.functions.data ? (void *)b.functions.data : (void *)"", b.functions.len * sizeof(*to->at));
	to->nr = b.functions.len;
	to->has_skipped = b.has_skipped;
	to->segments = dwarf_cut_segments(&b.owned, arena);
	vec_deinit(&b.functions);
	vec_deinit(&b.ranges);
}

struct scope_builder {
	struct dwarf_unit *u;
	struct dwarf_addresses only; /* of those that matter, what is in the function; NULL: all matter */
	VEC(struct dwarf_scope) scopes;
	VEC(uint32_t) open; /* by depth below the function: the scope of the children */
	dwarf_owned_list owned;
	dwarf_ranges ranges;
};

/* Sets the DIE with the name of a scope, or a reference to it. */
static void set_origin(struct dwarf_scope *s, struct dwarf_unit *u, const struct die *d, uint64_t self)
{
	const struct dwarf_value *to = d->origin.class ? &d->origin : &d->specification;
	bool own = d->name.class || d->linkage.class || !to->class;
	s->origin_file = u->file;
	s->origin = own ? self : to->u;
	if (own || to->class == DWARF_REFERENCE)
		return;
	s->origin_file = to->class == DWARF_REFERENCE_SUPPLEMENT ? &u->file->dwarf->supplement : NULL;
}

/* Its code is in b->ranges. */
static uint32_t add_scope(struct scope_builder *b, const struct die *d, uint64_t self, uint32_t parent)
{
	struct dwarf_scope s = { .parent = parent, .call_file = (uint32_t)d->call_file, .call_line = (uint32_t)d->call_line,
				 .call_column = (uint32_t)d->call_column };
	set_origin(&s, b->u, d, self);
	uint32_t id = (uint32_t)b->scopes.len;
	vec_push(&b->scopes, s);
	for (size_t i = 0; i < b->ranges.len; i++)
		vec_push(&b->owned, ((struct dwarf_owned){ b->ranges.data[i], id }));
	return id;
}

#define DEPTH_MAX 4096
#define NO_SCOPE  UINT32_MAX
#define SKIPPED	  UINT32_MAX

/* Whether any of the addresses that matter is in b->ranges. */
static bool is_selected(const struct scope_builder *b)
{
	if (!b->only.data)
		return true;
	for (size_t i = 0; i < b->ranges.len; i++) {
		size_t first = vec_search(&b->only, at, *at < b->ranges.data[i].start);
		if (first < b->only.len && b->only.data[first] < b->ranges.data[i].end)
			return true;
	}
	return false;
}

/* The function's code is in b->ranges. */
static void leave_others_out(struct scope_builder *b)
{
	uint64_t start = UINT64_MAX, end = 0;
	for (size_t i = 0; i < b->ranges.len; i++) {
		start = b->ranges.data[i].start < start ? b->ranges.data[i].start : start;
		end = b->ranges.data[i].end > end ? b->ranges.data[i].end : end;
	}
	size_t first = vec_search(&b->only, at, *at < start), after = vec_search(&b->only, at, *at < end);
	if (first < after)
		b->only = (struct dwarf_addresses){ b->only.data + first, after - first };
}

/* The function, or what is inlined in it; returns the scope that its children belong to. *ret_passed: they were left out. */
static uint32_t read_code_scope(struct scope_builder *b, struct cursor *c, const struct dwarf_abbrev *a, uint64_t offset,
				uint32_t parent, bool *ret_passed)
{
	struct cursor attrs = *c;
	struct dwarf_value sibling;
	struct dwarf_pc pc;
	struct die d;
	if (!read_code(b->u, c, a, &pc, &sibling))
		return parent;
	vec_clear(&b->ranges);
	dwarf_read_pc(b->u, &pc, &b->ranges);
	if (!b->ranges.len && parent != NO_SCOPE)
		return parent; /* no code is left: its children belong to the caller */
	if (parent != NO_SCOPE && !is_selected(b)) {
		*ret_passed = a->has_children && go_on_at(b->u, c, &sibling);
		return SKIPPED;
	}
	if (parent == NO_SCOPE)
		leave_others_out(b);
	if (!read_die(b->u, attrs, a, &d)) {
		c->bad = true;
		return parent;
	}
	return add_scope(b, &d, offset, parent);
}

/* Likewise of any DIE. */
static uint32_t read_scope(struct scope_builder *b, struct cursor *c, const struct dwarf_abbrev *a, uint64_t offset, uint32_t within,
			   bool *ret_passed)
{
	if (!b->scopes.len)
		return read_code_scope(b, c, a, offset, NO_SCOPE, ret_passed);
	if (a->tag == DW_TAG_inlined_subroutine && within != SKIPPED)
		return read_code_scope(b, c, a, offset, within, ret_passed);
	if (a->tag == DW_TAG_subprogram && a->has_children && a->has_sibling)
		*ret_passed = dwarf_skip_with_children(b->u, c, a);
	else
		*ret_passed = skip_die(b->u, c, a);
	return a->tag == DW_TAG_subprogram ? SKIPPED : within;
}

/* The function's subtree, without nested functions, which have their own. */
static void walk_function(struct scope_builder *b, struct cursor *c)
{
	do {
		uint64_t offset = cursor_offset(c), code = cursor_uleb(c);
		if (c->bad)
			return;
		if (!code) {
			if (b->open.len)
				b->open.len--;
			continue;
		}
		const struct dwarf_abbrev *a = dwarf_abbrev_find(b->u->abbrevs, code);
		if (!a || b->open.len > DEPTH_MAX)
			return;
		bool is_passed = false;
		uint32_t within = read_scope(b, c, a, offset, b->open.len ? vec_last(&b->open) : 0, &is_passed);
		if (a->has_children && !is_passed)
			vec_push(&b->open, within);
	} while (b->open.len && cursor_left(c) && !c->bad);
}

/* What another thread kept meanwhile stays. */
static const struct dwarf_scopes *keep_scopes(struct scope_builder *b, _Atomic(const struct dwarf_scopes *) *to,
					      struct dwarf_share *share)
{
	const struct dwarf_scopes *kept = NULL;
	pthread_mutex_lock(&share->lock);
	struct dwarf_scopes *made = arena_new(&share->arena, struct dwarf_scopes);
	made->nr = b->scopes.len;
	made->at = arena_memdup(&share->arena, made->nr ? (void *)b->scopes.data : (void *)"", made->nr * sizeof(*made->at));
	made->segments = dwarf_cut_segments(&b->owned, &share->arena);
	pthread_mutex_unlock(&share->lock);
	return atomic_compare_exchange_strong(to, &kept, made) ? made : kept;
}

const struct dwarf_scopes *dwarf_read_scopes(struct dwarf_unit *u, struct dwarf_function *fn, const struct dwarf_addresses *only,
					     struct dwarf_share *share)
{
	struct scope_builder b = { .u = u, .only = only ? *only : (struct dwarf_addresses){} };
	struct cursor c = dwarf_cursor_at(u, fn->die);
	walk_function(&b, &c);
	const struct dwarf_scopes *kept = keep_scopes(&b, only ? &fn->expected : &fn->all, share);
	vec_deinit(&b.owned);
	vec_deinit(&b.scopes);
	vec_deinit(&b.open);
	vec_deinit(&b.ranges);
	return kept;
}

bool dwarf_name_of(struct dwarf_file *f, uint64_t offset, struct dwarf_name *to)
{
	bool is_named = false;
	for (int i = 0; i < REFERENCES_MAX && f; i++) {
		struct dwarf_unit *u = dwarf_unit_at(f, offset);
		if (!u)
			break;
		struct cursor c = dwarf_cursor_at(u, offset);
		const struct dwarf_abbrev *a = dwarf_abbrev_find(u->abbrevs, cursor_uleb(&c));
		struct die d;
		if (!a || !read_naming(u, c, a, &d))
			break;
		if (dwarf_take_name(u, &d.linkage, to))
			return true;
		is_named = is_named || dwarf_take_name(u, &d.name, to);
		const struct dwarf_value *next = d.origin.class ? &d.origin : &d.specification;
		if (next->class == DWARF_REFERENCE_SUPPLEMENT)
			f = &f->dwarf->supplement;
		else if (next->class != DWARF_REFERENCE)
			break;
		offset = next->u;
	}
	return is_named;
}
