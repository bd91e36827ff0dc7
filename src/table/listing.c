#include "table/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct listing *listing_create(void)
{
	struct listing *l = xcalloc(1, sizeof(*l));
	arena_init(&l->arena);
	return l;
}

void listing_destroy(struct listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->files.len; i++)
		lines_deinit(&l->files.data[i].text);
	vec_deinit(&l->events);
	vec_deinit(&l->insns);
	vec_deinit(&l->values);
	vec_deinit(&l->cycles);
	vec_deinit(&l->places);
	vec_deinit(&l->files);
	vec_deinit(&l->lines);
	vec_deinit(&l->line_values);
	idset_deinit(&l->index.places);
	arena_deinit(&l->arena);
	free(l);
}

/* ---- building ---- */

uint32_t listing_event(struct listing *l, const struct listing_event *e)
{
	vec_push(&l->events, *e);
	return (uint32_t)l->events.len - 1;
}

uint32_t listing_insn(struct listing *l, const struct listing_insn *insn)
{
	vec_push(&l->insns, *insn);
	for (size_t i = 0; i < l->events.len; i++)
		vec_push(&l->values, ((struct listing_value){ 0 }));
	vec_last(&l->insns).target_insn = LISTING_NONE;
	vec_last(&l->insns).jumps_here = 0;
	return (uint32_t)l->insns.len - 1;
}

/* A function comes from few files: linear search. */
uint32_t listing_file(struct listing *l, const char *path)
{
	for (size_t i = 0; i < l->files.len; i++)
		if (!strcmp(l->files.data[i].path, path))
			return (uint32_t)i;
	struct listing_file f = { .path = arena_strdup(&l->arena, path) };
	vec_push(&l->files, f);
	return (uint32_t)l->files.len - 1;
}

static bool same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct listing_place *a = &((const struct listing *)table)->places.data[id], *b = key;
	return a->file == b->file && a->line == b->line && a->caller == b->caller && same_string(a->function, b->function);
}

uint32_t listing_place(struct listing *l, const struct listing_place *p)
{
	uint64_t hash = hash_u64((uint64_t)p->file << 32 | p->line);
	hash = hash_combine(hash, p->caller);
	hash = hash_combine(hash, p->function ? hash_str(p->function) : 0);
	uint32_t id = idset_intern(&l->index.places, hash, place_eq, l, p, l->places.len);
	if (id == l->places.len)
		vec_push(&l->places, *p);
	return id;
}

uint32_t listing_find(const struct listing *l, uint64_t addr)
{
	size_t after = vec_search(&l->insns, insn, insn->addr <= addr);
	if (!after || addr - l->insns.data[after - 1].addr >= l->insns.data[after - 1].bytes)
		return LISTING_NONE;
	return (uint32_t)after - 1;
}

bool listing_add_value(struct listing *l, uint64_t addr, uint32_t event, uint64_t samples, uint64_t value)
{
	uint32_t i = listing_find(l, addr);
	if (i == LISTING_NONE)
		return false;
	struct listing_value *v = &l->values.data[(size_t)i * l->events.len + event];
	v->samples += samples;
	v->value += value;
	l->events.data[event].samples += samples;
	l->events.data[event].value += value;
	return true;
}

/* ---- finishing ---- */

static void connect_jumps(struct listing *l)
{
	for (size_t i = 0; i < l->insns.len; i++) {
		struct listing_insn *insn = &l->insns.data[i];
		if (!insn->has_target || (insn->flow != LISTING_JUMP && insn->flow != LISTING_BRANCH))
			continue;
		uint32_t to = listing_find(l, insn->target.addr);
		if (to == LISTING_NONE)
			continue;
		insn->target_insn = to;
		l->insns.data[to].jumps_here++;
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct listing_line *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static const struct listing_place *place_of(const struct listing *l, const struct listing_insn *insn)
{
	return insn->place == LISTING_NONE ? NULL : &l->places.data[insn->place];
}

/* Line 0: the file is known, but the compiler assigned no line to the code. It has its share like lines. */
static bool has_file(const struct listing_place *p)
{
	return p && p->file != LISTING_NONE;
}

static void collect_lines(struct listing *l)
{
	for (size_t i = 0; i < l->insns.len; i++) {
		const struct listing_place *p = place_of(l, &l->insns.data[i]);
		if (has_file(p))
			vec_push(&l->lines, ((struct listing_line){ p->file, p->line }));
	}
	if (l->lines.len)
		qsort(l->lines.data, l->lines.len, sizeof(*l->lines.data), compare_lines);
	size_t kept = 0;
	for (size_t i = 0; i < l->lines.len; i++)
		if (!kept || compare_lines(&l->lines.data[kept - 1], &l->lines.data[i]))
			l->lines.data[kept++] = l->lines.data[i];
	l->lines.len = kept;
}

static void sum_lines(struct listing *l)
{
	for (size_t i = 0; i < l->lines.len * l->events.len; i++)
		vec_push(&l->line_values, ((struct listing_value){ 0 }));
	for (size_t i = 0; i < l->insns.len; i++) {
		const struct listing_place *p = place_of(l, &l->insns.data[i]);
		if (!has_file(p))
			continue;
		size_t at = listing_find_line(l, p->file, p->line);
		for (size_t e = 0; e < l->events.len; e++) {
			struct listing_value *sum = &l->line_values.data[at * l->events.len + e];
			sum->samples += listing_value(l, i, e)->samples;
			sum->value += listing_value(l, i, e)->value;
		}
	}
}

void listing_finish(struct listing *l)
{
	connect_jumps(l);
	collect_lines(l);
	sum_lines(l);
	idset_deinit(&l->index.places);
}

/* ---- look-ups ---- */

uint32_t listing_find_line(const struct listing *l, uint32_t file, uint32_t line)
{
	struct listing_line key = { file, line };
	size_t i = vec_search(&l->lines, e, compare_lines(e, &key) < 0);
	return i < l->lines.len && !compare_lines(&l->lines.data[i], &key) ? (uint32_t)i : LISTING_NONE;
}

const char *listing_share_name(enum listing_share s)
{
	static const char *const names[] = { "local period", "global period", "local hits", "global hits" };
	return names[s];
}

double listing_percent(const struct listing *l, size_t event, const struct listing_value *v, enum listing_share s)
{
	const struct listing_event *e = &l->events.data[event];
	bool hits = s == LISTING_LOCAL_HITS || s == LISTING_GLOBAL_HITS;
	bool global = s == LISTING_GLOBAL_PERIOD || s == LISTING_GLOBAL_HITS;
	uint64_t whole = hits ? (global ? e->total_samples : e->samples) : (global ? e->total_value : e->value);
	return whole ? 100.0 * (double)(hits ? v->samples : v->value) / (double)whole : 0;
}

/* ---- rows ---- */

#define CONTEXT_LINES 5

struct row_maker {
	const struct listing *l;
	struct listing_rows_options options;
	struct listing_rows *rows;
	uint32_t *shown;       /* by file: the highest line so far */
	const char *function;  /* of the rows so far */
	uint32_t file, line;
};

static void add_row(struct row_maker *m, enum listing_row_kind kind, uint32_t insn, uint32_t file, uint32_t line)
{
	vec_push(m->rows, ((struct listing_row){ .kind = kind, .insn = insn, .file = file, .line = line }));
}

/* Adds the line, preceded by lines without code that lead to it, unless they were shown. */
static void add_source(struct row_maker *m, uint32_t insn, const struct listing_place *p)
{
	size_t count = lines_count(&m->l->files.data[p->file].text);
	uint32_t from = p->line;
	if (p->line > count) {
		add_row(m, LISTING_ROW_PLACE, insn, p->file, p->line);
		return;
	}
	if (p->line > m->shown[p->file]) {
		from = p->line > m->options.context ? p->line - m->options.context : 1;
		if (from <= m->shown[p->file])
			from = m->shown[p->file] + 1;
		m->shown[p->file] = p->line;
	}
	for (; from <= p->line; from++)
		add_row(m, LISTING_ROW_SOURCE, insn, p->file, from);
}

static void add_place(struct row_maker *m, uint32_t insn)
{
	const struct listing_place *p = place_of(m->l, &m->l->insns.data[insn]);
	if (!p)
		return;
	if (!same_string(m->function, p->function) && p->function)
		add_row(m, LISTING_ROW_FUNCTION, insn, LISTING_NONE, 0);
	m->function = p->function;
	if (!has_file(p) || !p->line || (p->file == m->file && p->line == m->line))
		return;
	if (m->options.with_source)
		add_source(m, insn, p);
	m->file = p->file;
	m->line = p->line;
}

void listing_rows(const struct listing *l, struct listing_rows_options options, struct listing_rows *rows)
{
	struct row_maker m = { .l = l, .options = options, .rows = rows, .file = LISTING_NONE };
	m.shown = xcalloc(l->files.len + 1, sizeof(*m.shown));
	if (!m.options.context)
		m.options.context = CONTEXT_LINES;
	if (l->section)
		add_row(&m, LISTING_ROW_SECTION, 0, LISTING_NONE, 0);
	add_row(&m, LISTING_ROW_SYMBOL, 0, LISTING_NONE, 0);
	for (uint32_t i = 0; i < l->insns.len; i++) {
		add_place(&m, i);
		add_row(&m, LISTING_ROW_INSN, i, LISTING_NONE, 0);
	}
	free(m.shown);
}
