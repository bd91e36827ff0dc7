#include "view/tui/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"

void rows_forget(struct rows *r)
{
	calltrees_destroy(r->trees);
	r->trees = NULL;
	vec_clear(&r->lines);
	levels_deinit(&r->levels);
	free(r->set_entries);
	r->set_entries = NULL;
}

void rows_deinit(struct rows *r)
{
	rows_forget(r);
	vec_deinit(&r->entries);
	vec_deinit(&r->lines);
	vec_deinit(&r->missing);
	rows_forget_open(r);
	free(r->totals);
}

void rows_set(struct rows *r, const struct report *report, const struct report_part *part)
{
	rows_forget(r);
	vec_clear(&r->missing);
	r->report = report;
	r->part = part;
	free(r->totals);
	r->totals = xmemdup(part->hist->totals, part->hist->options.events_nr * sizeof(*r->totals));
}

const struct row_missing *rows_missing(const struct rows *r, uint32_t entry)
{
	size_t entries = r->part->hist->entries.len;
	return entry < entries ? NULL : &r->missing.data[entry - entries];
}

/* ---- which entries ---- */

static bool passes(const struct rows *r, const struct row_zoom *z, const struct hist_entry *e)
{
	const struct hist *h = r->part->hist;
	const struct profile *p = h->profile;
	const struct profile_mapping *m = z->dso ? hist_mapping(h, e) : NULL;
	const struct profile_function *f = z->symbol ? hist_function(h, e) : NULL;
	if (z->dso && !(m && !strcmp(profile_str(p, m->name), z->dso)))
		return false;
	if (z->kernel && e->level != 'k')
		return false;
	uint32_t comm = z->comm ? profile_find_column(p, "comm") : PROFILE_NONE;
	if (z->comm && (comm == PROFILE_NONE || strcmp(profile_str(p, (str_id)hist_label(h, e, comm, 0)), z->comm)))
		return false;
	if (z->by_tid && hist_label(h, e, profile_find_column(p, "tid"), UINT64_MAX) != z->tid)
		return false;
	if (z->by_socket && hist_label(h, e, profile_find_column(p, "socket"), UINT64_MAX) != z->socket)
		return false;
	return !z->symbol || (f && strstr(profile_str(p, f->name), z->symbol));
}

static bool same(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

/* The base has no threads and sockets to filter by. */
static bool missing_passes(const struct rows *r, const struct row_zoom *z, const struct row_missing *m)
{
	if (z->by_tid || z->by_socket || (double)m->share / 10000 < r->report->percent_limit)
		return false;
	if ((z->dso && !same(m->dso, z->dso)) || (z->comm && !same(m->comm, z->comm)) || (z->kernel && m->level != 'k'))
		return false;
	return !z->symbol || (m->symbol && strstr(m->symbol, z->symbol));
}

/* Adds those that precede the nth entry of the hist. */
static size_t push_missing(struct rows *r, const struct row_zoom *zoom, size_t i, uint32_t n)
{
	for (; i < r->missing.len && r->missing.data[i].at <= n; i++)
		if (missing_passes(r, zoom, &r->missing.data[i]))
			vec_push(&r->entries, (uint32_t)(r->part->hist->entries.len + i));
	return i;
}

void rows_filter(struct rows *r, const struct row_zoom *zoom)
{
	const struct hist *h = r->part->hist;
	size_t missing = 0;
	vec_clear(&r->entries);
	for (uint32_t j = 0; j < h->options.events_nr; j++)
		r->totals[j].shown_period = r->totals[j].shown_samples = r->totals[j].shown_latency = 0;
	for (uint32_t i = 0; i < h->order_nr; i++) {
		const struct hist_entry *e = &h->entries.data[h->order[i]];
		missing = push_missing(r, zoom, missing, i);
		if (!passes(r, zoom, e))
			continue;
		vec_push(&r->entries, h->order[i]);
		for (uint32_t j = 0; j < h->options.events_nr; j++) {
			const struct hist_stat *s = &hist_stats(h, e)[j];
			r->totals[j].shown_period += s->period;
			r->totals[j].shown_samples += s->samples;
			r->totals[j].shown_latency += s->latency;
		}
	}
	push_missing(r, zoom, missing, UINT32_MAX);
	if (r->report->hierarchy) {
		levels_deinit(&r->levels);
		rows_make_lines(r);
		return;
	}
	/* The limit applies to shares, whose total is known only now. */
	uint32_t kept = 0;
	for (size_t i = 0; i < r->entries.len; i++)
		if (rows_missing(r, r->entries.data[i]) || report_shows(r->report, r->part, &h->entries.data[r->entries.data[i]]))
			r->entries.data[kept++] = r->entries.data[i];
	r->entries.len = kept;
	rows_make_lines(r);
}

/* ---- what is open ---- */

uint64_t rows_name_id(const struct rows *r, uint32_t entry)
{
	const struct hist *h = r->part->hist;
	struct strbuf b = {};
	for (uint32_t i = 0; i < h->options.keys_nr; i++) {
		column_format(h, &h->options.keys[i], &h->entries.data[entry], 0, &b);
		strbuf_addch(&b, 0);
	}
	uint64_t id = hash_bytes(strbuf_str(&b), b.len) | 1;
	strbuf_deinit(&b);
	return id;
}

uint64_t rows_entry_id(const struct rows *r, uint32_t entry)
{
	const struct row_missing *m = rows_missing(r, entry);
	if (m)
		return m->id;
	return r->by_name ? rows_name_id(r, entry) : hash_u64((uint64_t)entry + 1) | 1;
}

static uint64_t node_id(const struct rows *r, uint64_t parent, const struct calltree_node *n)
{
	struct strbuf b = {};
	report_frame_name(r->part->hist, n->frames[0], r->report->chains.by_address, &b);
	uint64_t id = hash_combine(parent, hash_bytes(strbuf_str(&b), b.len)) | 1;
	strbuf_deinit(&b);
	return id;
}

static bool is_open(const struct rows *r, uint64_t id)
{
	const uint64_t *v = u64map_get(&r->open, id);
	return v ? *v : r->all_open;
}

static void set_open(struct rows *r, uint64_t id, bool open)
{
	*u64map_put(&r->open, id, NULL) = open;
}

static void set_entry_open(struct rows *r, uint32_t entry, uint64_t id, bool open)
{
	set_open(r, id, open);
	if (r->set_entries)
		r->set_entries[entry] = open ? ROW_OPEN : ROW_CLOSED;
}

/* Once per report, and kept up to date afterwards. */
static void find_set_entries(struct rows *r)
{
	const struct hist *h = r->part->hist;
	if (r->set_entries)
		return;
	r->set_entries = xcalloc(h->entries.len + 1, sizeof(*r->set_entries));
	for (uint32_t i = 0; r->open.used && i < h->order_nr; i++) {
		const uint64_t *open = u64map_get(&r->open, rows_entry_id(r, h->order[i]));
		if (open)
			r->set_entries[h->order[i]] = *open ? ROW_OPEN : ROW_CLOSED;
	}
}

bool rows_is_open(const struct rows *r, uint32_t entry)
{
	bool is_set = r->set_entries && !rows_missing(r, entry);
	enum row_set set = is_set ? r->set_entries[entry] : ROW_AS_ALL;
	return set == ROW_AS_ALL ? r->all_open : set == ROW_OPEN;
}

static bool has_chains(const struct rows *r)
{
	return r->report->show_chains && r->part->has_chains;
}

static bool open_trees(struct rows *r)
{
	if (has_chains(r) && !r->trees)
		r->trees = calltrees_open(r->part->hist, r->report->chains);
	return r->trees;
}

/* NULL: it has none. */
static const struct calltree_node *tree_of(struct rows *r, uint32_t entry)
{
	if (!open_trees(r))
		return NULL;
	calltrees_add(r->trees, entry);
	return calltrees_get(r->trees, entry);
}

static void set_below(struct rows *r, const struct calltree_node *n, uint64_t id, bool open)
{
	for (const struct calltree_node *c = n->child; c; c = c->next) {
		uint64_t below = node_id(r, id, c);
		set_open(r, below, open);
		set_below(r, c, below, open);
	}
}

static void set_whole_entry(struct rows *r, uint32_t entry, bool open)
{
	uint64_t id = rows_entry_id(r, entry);
	const struct calltree_node *tree = rows_missing(r, entry) ? NULL : tree_of(r, entry);
	if (!tree || !tree->child)
		return;
	set_entry_open(r, entry, id, open);
	set_below(r, tree, id, open);
}

static uint64_t level_id(const struct rows *r, uint64_t parent, const struct level_node *n, uint32_t depth)
{
	const struct hist *h = r->part->hist;
	struct strbuf b = {};
	column_format(h, r->levels.keys[depth], &h->entries.data[n->entry], 0, &b);
	uint64_t id = hash_combine(hash_combine(parent, depth), hash_bytes(strbuf_str(&b), b.len)) | 1;
	strbuf_deinit(&b);
	return id;
}

static void set_level(struct rows *r, const struct level_node *n, uint64_t id, uint32_t depth, bool open)
{
	set_open(r, id, open);
	for (uint32_t i = 0; i < n->children_nr; i++)
		set_level(r, n->children[i], level_id(r, id, n->children[i], depth + 1), depth + 1, open);
}

void rows_set_line(struct rows *r, const struct row_line *line, bool open)
{
	if (line->level && !line->level->leaf)
		set_level(r, line->level, line->id, line->depth, open);
	else if (line->level)
		set_open(r, line->id, open);
	else
		set_whole_entry(r, line->entry, open);
}

void rows_forget_open(struct rows *r)
{
	u64map_deinit(&r->open);
	free(r->set_entries);
	r->set_entries = NULL;
}

void rows_set_all(struct rows *r, bool open)
{
	rows_forget_open(r);
	r->all_open = open;
}

/* ---- lines ---- */

static void add_nodes(struct rows *r, uint32_t entry, const struct calltree_node *parent, uint64_t id, uint32_t depth,
		      uint64_t whole);

/* Adds the other frames of a node's run, and the lines below. */
static void add_below(struct rows *r, const struct row_line *l)
{
	struct row_line more = { .entry = l->entry, .depth = l->depth, .node = l->node, .whole = l->whole };
	for (more.frame = 1; more.frame < l->node->frames_nr; more.frame++)
		vec_push(&r->lines, more);
	bool fractal = r->report->chains.mode == CALLTREE_FRACTAL;
	add_nodes(r, l->entry, l->node, l->id, l->depth + 1, fractal ? l->node->below : l->whole);
}

static void add_nodes(struct rows *r, uint32_t entry, const struct calltree_node *parent, uint64_t id, uint32_t depth,
		      uint64_t whole)
{
	uint32_t printed = 0;
	for (const struct calltree_node *n = parent->child; n; n = n->next) {
		struct row_line l = { .entry = entry, .depth = depth, .node = n, .id = node_id(r, id, n), .whole = whole };
		l.has_more = n->child || n->frames_nr > 1;
		l.is_open = l.has_more && is_open(r, l.id);
		vec_push(&r->lines, l);
		if (l.is_open)
			add_below(r, &l);
		if (++printed == r->report->chains.print_limit)
			break;
	}
}

static uint64_t whole_of(const struct rows *r, uint32_t entry)
{
	const struct hist *h = r->part->hist;
	const struct hist_stat *s = hist_stats(h, &h->entries.data[entry]);
	if (r->report->chains.mode != CALLTREE_FRACTAL)
		return report_total(r->report, r->part, 0);
	return h->options.children ? s->children : s->period;
}

/* Call trees of leaves are indented one step more. */
static void add_levels(struct rows *r, const struct level_node *parent, uint64_t id, uint32_t depth)
{
	uint64_t total = report_total(r->report, r->part, 0);
	for (uint32_t i = 0; i < parent->children_nr; i++) {
		const struct level_node *n = parent->children[i];
		if (report_percent(n->stats[0].period, total) < r->report->percent_limit)
			continue;
		struct row_line l = { .entry = n->entry, .depth = depth, .level = n, .id = level_id(r, id, n, depth) };
		bool open = is_open(r, l.id);
		l.is_pending = n->leaf && open;
		l.is_open = !n->leaf && open;
		l.has_more = !n->leaf;
		vec_push(&r->lines, l);
		if (l.is_open)
			add_levels(r, n, l.id, depth + 1);
	}
}

void rows_make_lines(struct rows *r)
{
	vec_clear(&r->lines);
	if (r->report->hierarchy) {
		if (!r->levels.hist)
			levels_create(&r->levels, r->report, r->part, r->entries.data, (uint32_t)r->entries.len);
		add_levels(r, &r->levels.root, 0, 0);
		return;
	}
	find_set_entries(r);
	for (size_t i = 0; i < r->entries.len; i++) {
		uint32_t entry = r->entries.data[i];
		vec_push(&r->lines, ((struct row_line){ .entry = entry, .is_pending = rows_is_open(r, entry) }));
	}
}

/* Replaces n lines from `at` on by those from `from` on, which were added at the end. */
static void replace_lines(struct rows *r, size_t at, size_t n, size_t from)
{
	size_t new = r->lines.len - from, size = sizeof(*r->lines.data);
	struct row_line *moved = xmemdup(r->lines.data + from, new * size);
	memmove(r->lines.data + at + new, r->lines.data + at + n, (from - at - n) * size);
	memcpy(r->lines.data + at, moved, new * size);
	r->lines.len -= n;
	free(moved);
}

static bool is_below(const struct row_line *above, const struct row_line *l)
{
	if (!l->node || !above->node)
		return l->node;
	return l->depth > above->depth || l->node == above->node;
}

/* What is below the line, after all others. */
static void add_opened(struct rows *r, const struct row_line *l)
{
	const struct calltree_node *tree = l->node ? NULL : tree_of(r, l->entry);
	if (l->node)
		add_below(r, l);
	else if (tree)
		add_nodes(r, l->entry, tree, l->id, l->depth + 1, l->whole ? l->whole : whole_of(r, l->entry));
}

static void open_line(struct rows *r, size_t at)
{
	struct row_line l = r->lines.data[at];
	size_t old_nr = r->lines.len;
	add_opened(r, &l);
	replace_lines(r, at + 1, 0, old_nr);
}

static void close_line(struct rows *r, size_t at)
{
	size_t end = at + 1;
	while (end < r->lines.len && is_below(&r->lines.data[at], &r->lines.data[end]))
		end++;
	memmove(r->lines.data + at + 1, r->lines.data + end, (r->lines.len - end) * sizeof(*r->lines.data));
	r->lines.len -= end - at - 1;
}

void rows_toggle(struct rows *r, struct row_line *line)
{
	size_t at = (size_t)(line - r->lines.data);
	if (!line->id || !line->has_more)
		return;
	if (line->node || line->level)
		set_open(r, line->id, !line->is_open);
	else
		set_entry_open(r, line->entry, line->id, !line->is_open);
	if (line->level) {
		rows_make_lines(r);
		return;
	}
	line->is_open = !line->is_open;
	if (line->is_open)
		open_line(r, at);
	else
		close_line(r, at);
}

static void look_at(struct rows *r, struct row_line *l)
{
	if (l->node || l->is_known || (l->level && !l->level->leaf))
		return;
	l->is_known = true;
	l->has_more = !rows_missing(r, l->entry) && open_trees(r) && calltrees_has_any(r->trees, l->entry);
	l->is_pending &= l->has_more;
	l->is_open |= l->is_pending;
	if (!l->id)
		l->id = rows_entry_id(r, l->entry);
}

void rows_look(struct rows *r, size_t first, size_t n)
{
	size_t old_nr = r->lines.len, at = first;
	bool any_pending = false;
	for (size_t i = first; i < old_nr && i - first < n; i++) {
		look_at(r, &r->lines.data[i]);
		any_pending |= r->lines.data[i].is_pending;
	}
	if (!any_pending)
		return;
	/* All at once, so that the lines after them move only once. */
	for (; at < old_nr && r->lines.len - old_nr < n; at++) {
		struct row_line l = r->lines.data[at];
		bool was_pending = l.is_pending;
		l.is_pending = false;
		vec_push(&r->lines, l);
		if (was_pending)
			add_opened(r, &l);
	}
	replace_lines(r, first, at - first, old_nr);
}

size_t rows_look_back(struct rows *r, size_t at, size_t n)
{
	for (size_t i = at; i > 0 && at - i < n;) {
		size_t before = r->lines.len;
		rows_look(r, --i, 1);
		at += r->lines.len - before;
	}
	return at;
}
