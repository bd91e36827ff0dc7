#include "unwind/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "unwind/bare_rows.h"
#include "unwind/go_code.h"
#include "unwind/go_rows.h"

/*
 * Of what several have, the first is preferred: Go's own table, by which its run time unwinds, then .eh_frame, which the program itself
 * uses.
 */
static struct sort_pair *order_of(const struct cfi_fdes *fdes)
{
	struct sort_pair *order = xcalloc(fdes->list.len + 1, sizeof(*order));
	for (size_t i = 0; i < fdes->list.len; i++)
		order[i] = (struct sort_pair){ fdes->list.data[i].start, i };
	sort_pairs(order, fdes->list.len);
	return order;
}

/* Functions of code, by address. Discarded ones are at 0 or below all code. */
static void keep_code(struct cfi_fdes *fdes, const struct unwind_source *from)
{
	size_t n = 0;
	for (size_t i = 0; i < fdes->list.len; i++) {
		const struct cfi_fde *f = &fdes->list.data[i];
		if (f->start >= from->from && f->start < from->to && f->end > f->start)
			fdes->list.data[n++] = *f;
	}
	fdes->list.len = n;
}

/*
 * The rules of a function also apply to the last byte of padding before it: frames are looked up by the byte before their address, even
 * if no call made them.
 */
static void begin_early(struct cfi_builder *b, size_t first)
{
	struct cfi_row *row = first < b->rows.len ? &b->rows.data[first] : NULL;
	if (row && row->rule && first && !row[-1].rule && row[-1].offset + 1 < row->offset)
		row->offset--;
}

/* ---- code that is in no FDE ---- */

static void analyse_rest(struct bare_code *b, const struct unwind_source *from, const struct cfi_fdes *fdes,
			 const struct sort_pair *order)
{
	struct unwind_functions covered = {};
	if (!from->object || !bare_code_is_known(from->object))
		return;
	for (size_t i = 0; i < fdes->list.len; i++) {
		const struct cfi_fde *f = &fdes->list.data[order[i].value];
		uint64_t end = covered.list.len ? vec_last(&covered.list).end : 0;
		if (f->end > end)
			vec_push(&covered.list, ((struct unwind_function){ f->start > end ? f->start : end, f->end }));
	}
	bare_code_read_starts(b, from->object, from->debug);
	bare_code_analyse_rest(b, from->object, &covered);
	vec_deinit(&covered.list);
}

/* An FDE that says nothing of what its code does with the stack. 32-bit glibc has such of assembly that pushes. */
static bool is_blank(const struct unwind_source *from, const struct cfi_fde *f)
{
	for (size_t i = 0; i < f->program_bytes; i++)
		if (f->program[i])
			return false;
	return !from->is_64bit && from->object && bare_code_is_known(from->object);
}

/* The rows of such a function by its instructions; false where they are not understood, or say no more than the FDE. */
static bool run_blank(struct cfi_builder *b, const struct unwind_source *from, const struct cfi_fde *f, uint64_t end)
{
	size_t n, known = 0, at = 0;
	const uint8_t *code = is_blank(from, f) ? object_bytes_at(from->object, f->start, &n) : NULL;
	struct bare_code own = { .is_32bit = true };
	if (!code)
		return false;
	vec_push(&own.starts, f->start);
	bare_code_analyse(&own, code, n < end - f->start ? n : (size_t)(end - f->start), f->start);
	while (known < own.rows.len && own.rows.data[known].cfa != BARE_UNKNOWN)
		known++;
	bool is_better = known > 1 && known + 1 == own.rows.len && own.rows.data[0].vaddr == f->start;
	if (is_better)
		bare_rows_add(b, &own, &at, end, 0);
	bare_code_deinit(&own);
	return is_better;
}

/* ---- rows ---- */

/* What a table is made of. */
struct parts {
	const struct unwind_source *from;
	struct cfi_section sections[UNWIND_SECTIONS_MAX];
	unsigned sections_nr;
	struct cfi_fdes fdes; /* of the sections, and Go's functions */
	struct sort_pair *order; /* of those, by address */
	struct bare_code bare;
	struct go_rows go;
};

#define SECTION_GO UNWIND_SECTIONS_MAX

static void add_function(struct cfi_builder *b, struct parts *p, const struct cfi_fde *f, uint64_t end)
{
	size_t first = b->rows.len;
	if (f->section == SECTION_GO)
		go_rows_run(&p->go, b, f, end);
	else if (!run_blank(b, p->from, f, end))
		cfi_run(b, &p->sections[f->section], f, end);
	begin_early(b, first);
}

static void add_rows(struct cfi_builder *b, struct parts *p)
{
	size_t n = p->fdes.list.len, bare_at = 0;
	const struct sort_pair *order = p->order;
	vec_reserve(&b->rows, n * 4 + p->bare.rows.len + 1);
	b->base = n ? p->fdes.list.data[order[0].value].start : UINT64_MAX;
	if (p->bare.rows.len && p->bare.rows.data[0].vaddr < b->base)
		b->base = p->bare.rows.data[0].vaddr;
	for (size_t i = 0; i < n; i++) {
		const struct cfi_fde *f = &p->fdes.list.data[order[i].value];
		size_t next = i + 1;
		while (next < n && order[next].key == f->start)
			next++; /* known twice */
		uint64_t end = f->end < p->from->to ? f->end : p->from->to, limit = next < n ? order[next].key : end;
		if (end > limit)
			end = limit;
		if (end - b->base > UINT32_MAX)
			break; /* no code is that large */
		bare_rows_add(b, &p->bare, &bare_at, f->start, 0);
		add_function(b, p, f, end);
		if (end < limit || next == n)
			cfi_add_row(b, end, 0);
		i = next - 1;
	}
	bare_rows_add(b, &p->bare, &bare_at, UINT64_MAX, 0);
	if (b->rows.len && vec_last(&b->rows).rule)
		cfi_add_row(b, b->base + vec_last(&b->rows).offset + 1, 0);
}

/* The rule of a few instructions takes the place of what was said of them. */
static void put_rule(struct cfi_builder *b, uint32_t start, uint32_t end, uint32_t rule)
{
	size_t first = vec_search(&b->rows, row, row->offset < start), next = vec_search(&b->rows, row, row->offset <= end);
	struct cfi_row between[] = { { start, rule }, { end, next ? b->rows.data[next - 1].rule : 0 } };
	size_t rest = b->rows.len - next;
	vec_reserve(&b->rows, b->rows.len + 2);
	memmove(b->rows.data + first + 2, b->rows.data + next, rest * sizeof(*b->rows.data));
	memcpy(b->rows.data + first, between, sizeof(between));
	b->rows.len = first + 2 + rest;
}

static void add_switch(struct cfi_builder *b, const struct go_switch *s)
{
	enum { SP = 7, RA = 16, WORD = 8 };
	struct cfi_state st = { .cfa_kind = s->is_system ? UNWIND_CFA_GO_SYSTEM : UNWIND_CFA_GO, .cfa_reg = SP, .cfa_value = s->value,
				.cfa_addend = s->addend };
	struct cfi_state back = { .cfa_kind = UNWIND_CFA_REG, .cfa_reg = SP, .cfa_value = WORD };
	st.regs[RA] = (struct unwind_save){ .reg = RA, .kind = UNWIND_SAVE_OFFSET, .value = -WORD };
	st.known = 1ull << RA;
	back.regs[RA] = st.regs[RA];
	back.known = st.known;
	if (!b->rows.len)
		b->base = s->start;
	if (s->start < b->base || s->left - b->base > UINT32_MAX)
		return;
	put_rule(b, (uint32_t)(s->start - b->base), (uint32_t)(s->end - b->base), cfi_intern(b, &st, RA, UNWIND_ANALYSED));
	if (s->left > s->end)
		put_rule(b, (uint32_t)(s->end - b->base), (uint32_t)(s->left - b->base), cfi_intern(b, &back, RA, UNWIND_ANALYSED));
}

/* In place: a row takes half as much. */
static void pack_rows(struct unwind_table *t, struct cfi_builder *b)
{
	uint32_t n = (uint32_t)b->rows.len, page = 0, none = 0;
	char *to = (char *)b->rows.data;
	t->pages_nr = (b->rows.data[n - 1].offset >> UNWIND_PAGE_BITS) + 1;
	t->pages = xcalloc((size_t)t->pages_nr + 1, sizeof(*t->pages));
	for (uint32_t i = 0; i < n; i++) {
		struct cfi_row r = b->rows.data[i];
		uint32_t packed = r.offset << UNWIND_RULE_BITS | r.rule;
		if (!i)
			memcpy(to, &none, sizeof(none));
		memcpy(to + (i + 1) * sizeof(packed), &packed, sizeof(packed));
		while (page <= r.offset >> UNWIND_PAGE_BITS)
			t->pages[page++] = i + 1;
	}
	t->rows_nr = n + 1;
	t->pages[t->pages_nr] = t->rows_nr;
	t->rows = xreallocarray(b->rows.data, t->rows_nr, sizeof(*t->rows));
}

void unwind_table_mark_plain(const struct unwind_table *t, struct unwind_rule *r)
{
	if (r->kind != UNWIND_CFA_REG || r->flags & (UNWIND_SIGNAL | UNWIND_END) || !r->saves_nr)
		return;
	const struct unwind_save *saves = t->saves + r->saves;
	r->saved = 0;
	r->lowest = r->highest = saves[0].value;
	for (unsigned i = 0; i < r->saves_nr; i++) {
		if (saves[i].kind != UNWIND_SAVE_OFFSET)
			return;
		r->lowest = saves[i].value < r->lowest ? saves[i].value : r->lowest;
		r->highest = saves[i].value > r->highest ? saves[i].value : r->highest;
		r->saved |= 1ull << saves[i].reg;
	}
	if (r->saved >> r->ra & 1)
		r->flags |= UNWIND_PLAIN;
}

static struct unwind_table *finish(struct cfi_builder *b, const struct unwind_source *from, size_t functions)
{
	struct unwind_table *t = xcalloc(1, sizeof(*t));
	t->base = b->base;
	t->rules = b->rules.data;
	t->rules_nr = (uint32_t)b->rules.len;
	t->saves = b->saves.data;
	t->saves_nr = (uint32_t)b->saves.len;
	t->exprs = b->exprs.data;
	t->exprs_nr = (uint32_t)b->exprs.len;
	t->functions = (uint32_t)functions;
	t->swap = from->swap;
	t->is_64bit = from->is_64bit;
	idset_deinit(&b->index);
	for (uint32_t i = 0; i < t->rules_nr; i++)
		unwind_table_mark_plain(t, &t->rules[i]);
	pack_rows(t, b);
	return t;
}

static void read_parts(struct parts *p)
{
	const struct unwind_source *from = p->from;
	if (from->object && go_code_is_in(from->object) && go_rows_open(&p->go, from->object))
		go_rows_list(&p->go, SECTION_GO, &p->fdes);
	p->sections_nr = from->frames_nr < UNWIND_SECTIONS_MAX ? from->frames_nr : UNWIND_SECTIONS_MAX;
	for (unsigned i = 0; i < p->sections_nr; i++) {
		p->sections[i] = (struct cfi_section){ .frames = from->frames[i], .is_64bit = from->is_64bit, .swap = from->swap };
		cfi_read_cies(&p->sections[i]);
		cfi_read_fdes(&p->sections[i], i, &p->fdes);
	}
	keep_code(&p->fdes, from);
	p->order = order_of(&p->fdes);
	analyse_rest(&p->bare, from, &p->fdes, p->order);
}

static void release_parts(struct parts *p)
{
	bare_code_deinit(&p->bare);
	free(p->order);
	for (unsigned i = 0; i < p->sections_nr; i++)
		vec_deinit(&p->sections[i].cies);
	vec_deinit(&p->fdes.list);
}

struct unwind_table *unwind_table_build(const struct unwind_source *from)
{
	struct parts p = { .from = from };
	struct unwind_table *t = NULL;
	read_parts(&p);
	struct go_switch switches[GO_SWITCHES_MAX];
	unsigned switches_nr = from->object ? go_switches_find(from->object, switches) : 0;
	if (p.fdes.list.len || p.bare.rows.len || switches_nr) {
		struct cfi_builder b = {};
		vec_push(&b.rules, (struct unwind_rule){});
		add_rows(&b, &p);
		for (unsigned i = 0; i < switches_nr; i++)
			add_switch(&b, &switches[i]);
		t = finish(&b, from, p.fdes.list.len);
	}
	release_parts(&p);
	return t;
}

static void code_range(const struct object *o, uint64_t *ret_from, uint64_t *ret_to)
{
	*ret_from = UINT64_MAX;
	*ret_to = 0;
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		uint64_t end = s->vaddr + s->memory_bytes;
		if (s->type != 1 /* PT_LOAD */ || !(s->flags & 1 /* PF_X */) || end < s->vaddr)
			continue;
		*ret_from = s->vaddr < *ret_from ? s->vaddr : *ret_from;
		*ret_to = end > *ret_to ? end : *ret_to;
	}
}

struct unwind_source unwind_source_of(struct object *o, struct object *debug, struct object_frames frames[UNWIND_SECTIONS_MAX])
{
	struct unwind_source from = { .frames = frames, .object = o, .debug = debug };
	const struct object_header *h = object_header(o);
	from.frames_nr = object_frames(o, frames);
	if (debug && object_header(debug)->is_64bit == h->is_64bit && object_header(debug)->swap == h->swap)
		from.frames_nr += object_frames(debug, frames + from.frames_nr);
	from.is_64bit = h->is_64bit;
	from.swap = h->swap;
	code_range(o, &from.from, &from.to);
	return from;
}

struct unwind_table *unwind_table_of(struct object *o, struct object *debug)
{
	struct object_frames frames[UNWIND_SECTIONS_MAX];
	struct unwind_source from = unwind_source_of(o, debug, frames);
	return unwind_table_build(&from);
}

double unwind_table_fp_share(const struct unwind_table *t, unsigned fp)
{
	uint64_t all = 0, by_fp = 0;
	for (uint32_t i = 1, page = 0, before = 0; i < t->rows_nr; i++) {
		const struct unwind_rule *r = &t->rules[t->rows[i - 1] & (UNWIND_RULES_MAX - 1)];
		while (t->pages[page + 1] <= i)
			page++;
		uint32_t offset = page << UNWIND_PAGE_BITS | t->rows[i] >> UNWIND_RULE_BITS, bytes = offset - before;
		before = offset;
		if (r->kind != UNWIND_CFA_REG && r->kind != UNWIND_CFA_DEREF)
			continue;
		all += bytes;
		by_fp += r->reg == fp ? bytes : 0;
	}
	return all ? (double)by_fp / (double)all : 0;
}

void unwind_table_lend(struct unwind_table *t, uint32_t *pages, uint32_t *rows)
{
	if (!t->is_lent) {
		free(t->rows);
		free(t->pages);
	}
	t->pages = pages;
	t->rows = rows;
	t->is_lent = true;
}

void unwind_table_destroy(struct unwind_table *t)
{
	if (!t)
		return;
	unwind_table_lend(t, NULL, NULL);
	free(t->rules);
	free(t->saves);
	free(t->exprs);
	free(t);
}
