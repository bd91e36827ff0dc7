/* From names to code: one walk over the DIEs of each unit that may have them. */
#include "object/dwarf/functions.h"

#include <string.h>

#include "base/mem.h"
#include "object/dwarf/priv.h"

#define REFERENCES_MAX 16   /* maximum length of a chain of abstract origins and specifications */
#define DEPTH_MAX      4096 /* of DIEs: deeper is damage */

/* The attributes of a function or an inlined call. */
struct entry {
	struct dwarf_pc pc;
	struct dwarf_value name, linkage, origin, specification, entry_pc;
	uint64_t decl_file, decl_line, decl_column, call_file, call_line, call_column;
	bool has_decl_file, has_call_file, is_declaration;
};

static void take_attr(struct entry *e, uint16_t name, struct dwarf_value v)
{
	switch (name) {
	case DW_AT_low_pc: e->pc.low = v; break;
	case DW_AT_high_pc: e->pc.high = v; break;
	case DW_AT_ranges: e->pc.ranges = v; break;
	case DW_AT_entry_pc: e->entry_pc = v; break;
	case DW_AT_name: e->name = v; break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: e->linkage = v; break;
	case DW_AT_abstract_origin: e->origin = v; break;
	case DW_AT_specification: e->specification = v; break;
	case DW_AT_decl_file:
		e->decl_file = v.u;
		e->has_decl_file = true;
		break;
	case DW_AT_decl_line: e->decl_line = v.u; break;
	case DW_AT_decl_column: e->decl_column = v.u; break;
	case DW_AT_call_file:
		e->call_file = v.u;
		e->has_call_file = true;
		break;
	case DW_AT_call_line: e->call_line = v.u; break;
	case DW_AT_call_column: e->call_column = v.u; break;
	case DW_AT_declaration: e->is_declaration = true; break;
	}
}

static bool read_entry(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_abbrev *a, struct entry *ret)
{
	const struct dwarf_attr *attr = u->abbrevs->attrs.data + a->first;
	*ret = (struct entry){};
	for (uint32_t i = 0; i < a->nr && !c->bad; i++)
		take_attr(ret, attr[i].name, dwarf_read_form(u, c, attr[i].form, attr[i].constant));
	return !c->bad;
}

/* ---- names and declarations ---- */

/* The function that a DIE stands for: attributes that it lacks are those of its abstract origin or specification. */
struct declaration {
	const char *name, *linkage_name, *file;
	uint32_t line;
	uint64_t column;
};

/* The unit with the lines of a unit: for a split one, its skeleton. */
static struct dwarf_unit *lines_of(struct dwarf_unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

/* NULL: unknown. In version 5, files are numbered from 0, which clang uses; before, 0 is none. */
static const char *file_of(struct dwarf_unit *u, uint64_t file)
{
	struct dwarf_unit *lines = lines_of(u);
	if (!file && u->version < 5)
		return NULL;
	dwarf_need_files(lines);
	return dwarf_file_path(lines, file);
}

static void complete(struct declaration *d, struct dwarf_unit *u, const struct entry *e, bool with_place)
{
	if (!d->name)
		d->name = dwarf_string(u, &e->name);
	if (!d->linkage_name)
		d->linkage_name = dwarf_string(u, &e->linkage);
	if (with_place && !d->file && e->has_decl_file)
		d->file = file_of(u, e->decl_file);
	if (!d->line)
		d->line = (uint32_t)e->decl_line;
	if (!d->column)
		d->column = e->decl_column;
}

static struct declaration declaration_of(struct dwarf_unit *u, struct entry e, bool with_place)
{
	struct declaration d = {};
	for (int i = 0; i < REFERENCES_MAX && u; i++) {
		complete(&d, u, &e, with_place);
		const struct dwarf_value *next = e.origin.class ? &e.origin : &e.specification;
		struct dwarf_file *f = next->class == DWARF_REFERENCE_SUPPLEMENT ? &u->file->dwarf->supplement : u->file;
		if (next->class != DWARF_REFERENCE && next->class != DWARF_REFERENCE_SUPPLEMENT)
			break;
		uint64_t offset = next->u;
		u = dwarf_unit_at(f, offset);
		if (!u)
			break;
		struct cursor c = dwarf_cursor_at(u, offset);
		const struct dwarf_abbrev *a = dwarf_abbrev_find(u->abbrevs, cursor_uleb(&c));
		if (!a || !read_entry(u, &c, a, &e))
			break;
	}
	return d;
}

/* An offset from the start of the code, or an address. */
static bool entry_of(const struct dwarf_unit *u, const struct entry *e, dwarf_ranges *ranges, uint64_t *ret)
{
	vec_clear(ranges);
	dwarf_read_pc(u, &e->pc, ranges);
	if (!ranges->len)
		return false;
	*ret = ranges->data[0].start;
	if (e->entry_pc.class == DWARF_CONSTANT)
		*ret += e->entry_pc.u;
	else if (e->entry_pc.class)
		(void)dwarf_address(u, &e->entry_pc, ret);
	return dwarf_is_text(u->file->dwarf, *ret);
}

/* ---- the walk ---- */

struct walk {
	struct dwarf_unit *u;
	bool into_functions;
	/* Returns whether to continue. depth: of the DIE. */
	bool (*fn)(void *ctx, struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t depth);
	void *ctx;
};

/* Whether functions may be below the entry; below types within functions there are those of lambdas. */
static bool is_container(const struct walk *w, uint16_t tag)
{
	bool is_type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
	return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_skeleton_unit || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_lexical_block || (is_type && w->into_functions);
}

/* Reads one DIE; true if its children were skipped as irrelevant. *ret_stop: fn ended the walk. */
static bool walk_die(const struct walk *w, struct cursor *c, const struct dwarf_abbrev *a, uint64_t depth, bool *ret_stop)
{
	struct dwarf_unit *u = w->u;
	bool is_function = a->tag == DW_TAG_subprogram, is_inlined = a->tag == DW_TAG_inlined_subroutine;
	if (is_function || (is_inlined && w->into_functions)) {
		struct cursor start = *c;
		struct entry e;
		if (!read_entry(u, c, a, &e))
			return false;
		*ret_stop = !w->fn(w->ctx, u, &e, is_inlined, depth);
		if (w->into_functions || !a->has_children || !a->has_sibling)
			return false;
		struct cursor after = *c;
		*c = start;
		if (dwarf_skip_with_children(u, c, a))
			return true;
		*c = after;
		return false;
	}
	if (a->has_children && a->has_sibling && !is_container(w, a->tag))
		return dwarf_skip_with_children(u, c, a);
	dwarf_skip_attrs(u, c, u->abbrevs, a);
	return false;
}

static void walk_unit(const struct walk *w)
{
	if (!dwarf_unit_prepare(w->u))
		return;
	struct cursor c = dwarf_cursor_at(w->u, w->u->dies);
	bool is_enough = false;
	for (uint64_t depth = 0; cursor_left(&c) && !c.bad && !is_enough && depth < DEPTH_MAX;) {
		uint64_t code = cursor_uleb(&c);
		if (!code) {
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		const struct dwarf_abbrev *a = dwarf_abbrev_find(w->u->abbrevs, code);
		if (!a)
			break;
		bool is_passed = walk_die(w, &c, a, depth, &is_enough);
		depth += a->has_children && !is_passed;
		if (!depth)
			break; /* a root without children */
	}
}

static struct dwarf_code code_as_declared(struct dwarf_unit *u, const struct declaration *d, const struct entry *e, bool is_inlined,
					  uint64_t entry)
{
	struct dwarf_code code = { .unit = lines_of(u), .name = d->name, .linkage_name = d->linkage_name, .file = d->file,
				   .line = d->line, .entry = entry, .is_inlined = is_inlined };
	if (is_inlined && e->has_call_file) {
		code.call_file = file_of(u, e->call_file);
		code.call_line = (uint32_t)e->call_line;
	}
	return code;
}

static struct dwarf_code code_of(struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t entry)
{
	struct declaration d = declaration_of(u, *e, true);
	return code_as_declared(u, &d, e, is_inlined, entry);
}

/* ---- by name ---- */

struct by_name {
	bool (*matches)(void *ctx, const char *name);
	void (*fn)(void *ctx, const struct dwarf_code *code);
	void *ctx;
	struct u64map known[2]; /* offset of an origin, in the main file and in the supplement → 1 matches, 0 does not */
	dwarf_ranges ranges;
	bool has_inlined; /* a matching function has no code of its own in this unit */
};

static bool declaration_matches(const struct by_name *s, struct dwarf_unit *u, const struct entry *e)
{
	struct declaration d = declaration_of(u, *e, false);
	return (d.name && s->matches(s->ctx, d.name)) || (d.linkage_name && s->matches(s->ctx, d.linkage_name));
}

/* The result for an entry with an origin is that of the origin, cached. */
static bool entry_matches(struct by_name *s, struct dwarf_unit *u, const struct entry *e)
{
	if (e->name.class || !e->origin.class)
		return declaration_matches(s, u, e);
	bool is_new;
	uint64_t *known = u64map_put(&s->known[e->origin.class == DWARF_REFERENCE_SUPPLEMENT], e->origin.u, &is_new);
	if (is_new) {
		bool matches = declaration_matches(s, u, e);
		*known = matches;
	}
	return *known;
}

static bool find_inlined(void *ctx, struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t depth)
{
	struct by_name *s = ctx;
	(void)depth;
	if (!is_inlined && !e->is_declaration && !e->pc.low.class && !e->pc.ranges.class && entry_matches(s, u, e))
		s->has_inlined = true;
	return !s->has_inlined;
}

/* GCC splits functions, and inlines the rest of one in it again: as a call where the function is declared. It begins no call. */
static bool is_split_part(struct dwarf_unit *u, const struct entry *e, const struct dwarf_code *code)
{
	if (!code->is_inlined || !code->file || !code->call_file || code->call_line != code->line || strcmp(code->call_file, code->file))
		return false;
	/* a recursion that was inlined may be on that line, too */
	uint64_t column = declaration_of(u, *e, false).column;
	return !column || !e->call_column || column == e->call_column;
}

static bool take_code(void *ctx, struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t depth)
{
	struct by_name *s = ctx;
	uint64_t entry;
	(void)depth;
	if (e->is_declaration || !entry_matches(s, u, e) || !entry_of(u, e, &s->ranges, &entry))
		return true;
	struct dwarf_code code = code_of(u, e, is_inlined, entry);
	if (!is_split_part(u, e, &code))
		s->fn(s->ctx, &code);
	return true;
}

static void forget_known(struct by_name *s)
{
	u64map_deinit(&s->known[0]);
	u64map_deinit(&s->known[1]);
	s->known[0] = s->known[1] = (struct u64map){};
}

static void each_code_of(struct by_name *s, struct dwarf_unit *u)
{
	struct walk w = { .u = u, .fn = find_inlined, .ctx = s };
	if (u->file->split)
		forget_known(s); /* offsets are those of the unit's own file */
	s->has_inlined = dwarf_refers_to_others(u, false);
	if (!s->has_inlined)
		walk_unit(&w);
	w.into_functions = s->has_inlined;
	w.fn = take_code;
	walk_unit(&w);
}

void dwarf_each_code(struct dwarf *d, const char *name, bool (*matches)(void *ctx, const char *name),
		     void (*fn)(void *ctx, const struct dwarf_code *code), void *ctx)
{
	struct by_name s = { .matches = matches, .fn = fn, .ctx = ctx };
	struct dwarf_mentions mentions;
	dwarf_mentions_init(&mentions, d, name);
	for (size_t i = 0; i < d->main.units.len; i++) {
		if (!dwarf_unit_mentions(&mentions, d->main.units.data[i]))
			continue;
		dwarf_need_root(d->main.units.data[i]);
		each_code_of(&s, dwarf_split_unit(d->main.units.data[i]));
	}
	dwarf_mentions_deinit(&mentions);
	forget_known(&s);
	vec_deinit(&s.ranges);
}

/* ---- of a unit ---- */

struct of_unit {
	void (*fn)(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n);
	void *ctx;
	dwarf_ranges ranges;
	struct u64map known; /* offset of an origin → its number in the list */
	VEC(struct declaration) declarations;
};

/* What only refers to its origin is declared as that: read once. */
static struct declaration known_declaration(struct of_unit *s, struct dwarf_unit *u, const struct entry *e)
{
	bool is_new, is_bare = !e->name.class && !e->linkage.class && !e->has_decl_file && !e->decl_line && !e->decl_column;
	if (!is_bare || e->origin.class != DWARF_REFERENCE)
		return declaration_of(u, *e, true);
	uint64_t *number = u64map_put(&s->known, e->origin.u, &is_new);
	if (is_new) {
		*number = s->declarations.len;
		vec_push(&s->declarations, declaration_of(u, *e, true));
	}
	return s->declarations.data[*number];
}

static bool take_all(void *ctx, struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t depth)
{
	struct of_unit *s = ctx;
	uint64_t entry;
	(void)depth;
	if (e->is_declaration || !entry_of(u, e, &s->ranges, &entry))
		return true;
	struct declaration d = known_declaration(s, u, e);
	struct dwarf_code code = code_as_declared(u, &d, e, is_inlined, entry);
	s->fn(s->ctx, &code, s->ranges.data, s->ranges.len);
	return true;
}

void dwarf_each_code_of(struct dwarf_unit *u,
			void (*fn)(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n), void *ctx)
{
	struct of_unit s = { .fn = fn, .ctx = ctx };
	struct walk w = { .u = dwarf_split_unit(u), .into_functions = true, .fn = take_all, .ctx = &s };
	walk_unit(&w);
	vec_deinit(&s.ranges);
	vec_deinit(&s.declarations);
	u64map_deinit(&s.known);
}

/* ---- by address ---- */

struct by_address {
	uint64_t addr;
	struct dwarf_code *ret;
	unsigned n;
	uint64_t depth; /* of the function that is around it */
	dwarf_ranges ranges;
};

static bool is_within(const dwarf_ranges *ranges, uint64_t addr)
{
	for (size_t i = 0; i < ranges->len; i++)
		if (addr >= ranges->data[i].start && addr < ranges->data[i].end)
			return true;
	return false;
}

static bool take_around(void *ctx, struct dwarf_unit *u, const struct entry *e, bool is_inlined, uint64_t depth)
{
	struct by_address *s = ctx;
	uint64_t entry;
	if (s->n && depth <= s->depth)
		return false; /* the function has ended */
	if ((is_inlined && !s->n) || s->n == DWARF_FRAMES_MAX || !entry_of(u, e, &s->ranges, &entry) || !is_within(&s->ranges, s->addr))
		return true;
	if (!is_inlined) { /* nested in another, at the most */
		s->n = 0;
		s->depth = depth;
	}
	s->ret[s->n++] = code_of(u, e, is_inlined, entry);
	return true;
}

static void reverse(struct dwarf_code *at, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		struct dwarf_code first = at[i];
		at[i] = at[n - 1 - i];
		at[n - 1 - i] = first;
	}
}

unsigned dwarf_code_at(struct dwarf *d, uint64_t addr, struct dwarf_code ret[DWARF_FRAMES_MAX])
{
	struct by_address s = { .addr = addr, .ret = ret };
	struct dwarf_unit *u;
	for (struct dwarf_search search = dwarf_search(d, addr); !s.n && (u = dwarf_next_unit(&search));) {
		struct walk w = { .u = dwarf_split_unit(u), .into_functions = true, .fn = take_around, .ctx = &s };
		walk_unit(&w);
	}
	vec_deinit(&s.ranges);
	reverse(ret, s.n);
	return s.n;
}

/* ---- prologues ---- */

enum { OP_FBREG = 0x91, OP_CALL_FRAME_CFA = 0x9c };

/* "DW_OP_fbreg -20": of a base that is where the caller's frame ends, below it, where no caller puts anything; of a register, anywhere. */
static bool is_in_own_frame(const struct dwarf_die *d, const struct dwarf_value *base)
{
	struct dwarf_value v = dwarf_die_value(d, DW_AT_location);
	struct cursor c = cursor_make(v.block, v.class == DWARF_BLOCK ? (size_t)v.u : 0, false);
	bool is_by_cfa = base->class == DWARF_BLOCK && base->u == 1 && *base->block == OP_CALL_FRAME_CFA;
	return cursor_left(&c) > 1 && cursor_u8(&c) == OP_FBREG && (cursor_sleb(&c) < 0 || !is_by_cfa) && !c.bad && !cursor_left(&c);
}

static bool has_stored_parameter(struct dwarf *dwarf, uint64_t entry)
{
	struct dwarf_die function, d;
	if (!dwarf_die_of_function(dwarf, entry, &function))
		return false;
	struct dwarf_value base = dwarf_die_value(&function, DW_AT_frame_base);
	for (bool is_there = dwarf_die_child(&function, &d); is_there; is_there = dwarf_die_sibling(&d, &d))
		if (d.tag == DW_TAG_formal_parameter && is_in_own_frame(&d, &base))
			return true;
	return false;
}

bool dwarf_prologue(struct dwarf *d, uint64_t entry, uint64_t *ret)
{
	struct dwarf_unit *u;
	if (!has_stored_parameter(d, entry))
		return false;
	for (struct dwarf_search search = dwarf_search(d, entry); (u = dwarf_next_unit(&search));) {
		dwarf_need_lines(u);
		const struct dwarf_row *row = dwarf_row_find(u, entry), *next = row ? row + 1 : NULL;
		if (!row || row->addr != entry || next >= u->rows + u->rows_nr || next->file == UINT32_MAX)
			continue;
		*ret = next->addr;
		return true;
	}
	return false;
}

/* ---- by line ---- */

/* What GCC leaves out of line tables: the line of the declaration at the entry, and that of a call that was inlined. */
static void add_statement(dwarf_statements *list, const struct dwarf_code *code)
{
	struct dwarf_statement at = { code->entry, code->is_inlined ? code->call_file : code->file,
				      code->is_inlined ? code->call_line : code->line };
	if (at.file && at.line)
		vec_push(list, at);
}

void dwarf_each_statement(struct dwarf_unit *u, const struct dwarf_code *codes, size_t n,
			  void (*fn)(void *ctx, const struct dwarf_statement *s), void *ctx)
{
	dwarf_statements list = {};
	dwarf_read_statements(u, &list);
	for (size_t i = 0; i < n; i++)
		add_statement(&list, &codes[i]);
	for (size_t i = 0; i < list.len; i++)
		fn(ctx, &list.data[i]);
	vec_deinit(&list);
}

void dwarf_each_unit_of(struct dwarf *d, bool (*matches)(void *ctx, const char *path), void (*fn)(void *ctx, struct dwarf_unit *u),
			void *ctx)
{
	for (size_t i = 0; i < d->main.units.len; i++) {
		struct dwarf_unit *u = d->main.units.data[i];
		dwarf_need_root(u);
		if (u->root_tag != DW_TAG_compile_unit && u->root_tag != DW_TAG_skeleton_unit)
			continue;
		dwarf_need_files(u);
		for (size_t k = 0; k < u->files_nr; k++) {
			const char *path = dwarf_file_path(u, k);
			if (!path || !matches(ctx, path))
				continue;
			fn(ctx, u);
			break;
		}
	}
}
