/* The report as a tree of its sort keys: one level for each key, with the sums of what is below. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/text/text_priv.h"

struct level_node {
	uint32_t entry;      /* one entry that has the values of this and the levels above */
	bool leaf;
	struct hist_stat *stats;
	struct level_node **children;
	uint32_t children_nr;
};

struct grower {
	struct text_part *t;
	struct arena arena;
	const struct hist_key **keys; /* of each level */
	uint32_t *fields;             /* the same as indexes of fields */
	uint32_t levels;
};

static int compare_identity(const void *pa, const void *pb, void *ctx)
{
	const struct grower *g = ctx;
	const struct hist *h = g->t->part->hist;
	for (uint32_t i = 0; i < g->levels; i++) {
		int order = column_compare_identity(h, g->keys[i], &h->entries.data[*(const uint32_t *)pa],
						    &h->entries.data[*(const uint32_t *)pb]);
		if (order)
			return order;
	}
	return *(const uint32_t *)pa < *(const uint32_t *)pb ? -1 : *(const uint32_t *)pa > *(const uint32_t *)pb;
}

struct sibling_order {
	const struct grower *g;
	uint32_t level;
};

static int compare_siblings(const void *pa, const void *pb, void *ctx)
{
	const struct sibling_order *o = ctx;
	const struct hist *h = o->g->t->part->hist;
	const struct level_node *a = *(struct level_node *const *)pa, *b = *(struct level_node *const *)pb;
	for (uint32_t j = 0; j < h->options.events_nr; j++)
		if (a->stats[j].period != b->stats[j].period)
			return a->stats[j].period > b->stats[j].period ? -1 : 1;
	const struct hist_key *k = o->g->keys[o->level];
	const struct hist_entry *x = &h->entries.data[a->entry], *y = &h->entries.data[b->entry];
	int order = column_compare(h, k, x, y);
	return order ? order : column_compare_identity(h, k, x, y);
}

static void add_stats(struct hist_stat *to, const struct hist_stat *from, uint32_t n)
{
	for (uint32_t j = 0; j < n; j++) {
		to[j].period += from[j].period;
		to[j].samples += from[j].samples;
		to[j].weight += from[j].weight;
		to[j].children += from[j].children;
		to[j].children_samples += from[j].children_samples;
		to[j].sys += from[j].sys;
		to[j].user += from[j].user;
		to[j].guest_sys += from[j].guest_sys;
		to[j].guest_user += from[j].guest_user;
	}
}

/* Nodes of one level out of entries that are equal on the levels above and sorted by all. */
static void grow(struct grower *g, struct level_node *parent, const uint32_t *entries, uint32_t n, uint32_t level)
{
	const struct hist *h = g->t->part->hist;
	uint32_t events = h->options.events_nr;
	parent->children = arena_new_array(&g->arena, struct level_node *, n);
	for (uint32_t from = 0, to; from < n; from = to) {
		struct level_node *node = arena_new(&g->arena, struct level_node);
		node->entry = entries[from];
		node->stats = arena_new_array(&g->arena, struct hist_stat, events);
		node->leaf = level + 1 == g->levels;
		for (to = from; to < n; to++) {
			if (to > from && column_compare_identity(h, g->keys[level], &h->entries.data[entries[from]],
								 &h->entries.data[entries[to]]))
				break;
			add_stats(node->stats, hist_stats(h, &h->entries.data[entries[to]]), events);
		}
		if (!node->leaf)
			grow(g, node, entries + from, to - from, level + 1);
		parent->children[parent->children_nr++] = node;
	}
	struct sibling_order order = { g, level };
	qsort_r(parent->children, parent->children_nr, sizeof(*parent->children), compare_siblings, &order);
}

static void add_blanks(struct text_part *t, unsigned n)
{
	while (n--)
		strbuf_addch(&t->line, ' ');
}

static void add_line(struct grower *g, const struct level_node *node, uint32_t level)
{
	struct text_part *t = g->t;
	const struct report *r = t->report;
	bool first = true;
	add_blanks(t, level * HIERARCHY_INDENT);
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].column->from != COLUMN_FROM_VALUES)
			continue;
		if (!r->separator || !first)
			strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
		first = false;
		text_value(t, i, node->stats, false);
	}
	if (!r->separator)
		add_blanks(t, (g->levels - 1) * HIERARCHY_INDENT);
	strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
	size_t start = t->line.len;
	text_cell(t, g->fields[level], &t->part->hist->entries.data[node->entry], true);
	size_t blanks = strspn(t->line.data + start, " ");
	memmove(t->line.data + start, t->line.data + start + blanks, t->line.len - start - blanks + 1);
	t->line.len -= blanks;
	text_flush_line(t);
}

/* Of the columns before the names. */
static unsigned sums_width(const struct text_part *t)
{
	unsigned width = 0;
	for (uint32_t i = 0; i < t->report->fields_nr; i++)
		if (t->report->fields[i].column->from == COLUMN_FROM_VALUES)
			width += text_header_width(t, i) + (width ? 2 : 0);
	return width;
}

static void add_nodes(struct grower *g, const struct level_node *parent, uint32_t level)
{
	struct text_part *t = g->t;
	uint64_t total = report_total(t->report, t->part, 0);
	uint32_t shown = 0;
	for (uint32_t i = 0; i < parent->children_nr; i++) {
		const struct level_node *node = parent->children[i];
		if (report_percent(node->stats[0].period, total) < t->report->percent_limit)
			continue;
		shown++;
		add_line(g, node, level);
		if (node->leaf)
			text_chain(t, node->entry);
		else
			add_nodes(g, node, level + 1);
	}
	if (!shown && parent->children_nr && level) {
		add_blanks(t, (g->levels + level - 1) * HIERARCHY_INDENT + sums_width(t) + 4);
		strbuf_addf(&t->line, "no entry >= %.2f%%", t->report->percent_limit);
		text_flush_line(t);
	}
}

static void add_repeated(struct text_part *t, char c, unsigned n)
{
	while (n--)
		strbuf_addch(&t->line, c);
}

static void add_heads(struct grower *g)
{
	struct text_part *t = g->t;
	const struct report *r = t->report;
	const char *separator = r->separator ? r->separator : "  ";
	bool first = true;
	strbuf_addstr(&t->line, "# ");
	if (!r->separator)
		add_blanks(t, (g->levels - 1) * HIERARCHY_INDENT);
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].column->from != COLUMN_FROM_VALUES)
			continue;
		if (!first)
			strbuf_addstr(&t->line, separator);
		first = false;
		text_add_header(t, i);
	}
	strbuf_addstr(&t->line, separator);
	unsigned width = 0;
	size_t start = t->line.len;
	for (uint32_t l = 0; l < g->levels; l++) {
		if (l)
			strbuf_addstr(&t->line, " / ");
		const char *header = g->keys[l]->header;
		strbuf_addstr(&t->line, header + strspn(header, " "));
		unsigned needs = l * HIERARCHY_INDENT + t->widths[g->fields[l]];
		width = needs > width ? needs : width;
	}
	if (t->line.len - start > width)
		width = (unsigned)(t->line.len - start);
	text_flush_line(t);
	if (r->separator)
		return;
	strbuf_addstr(&t->line, "# ");
	add_repeated(t, '.', (g->levels - 1) * HIERARCHY_INDENT);
	first = true;
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].column->from != COLUMN_FROM_VALUES)
			continue;
		if (!first)
			strbuf_addstr(&t->line, "..");
		first = false;
		add_repeated(t, '.', text_header_width(t, i));
	}
	strbuf_addstr(&t->line, "  ");
	add_repeated(t, '.', width);
	text_flush_line(t);
	out_str(t->out, "#\n");
}

void text_hierarchy(struct text_part *t)
{
	const struct report *r = t->report;
	const struct hist *h = t->part->hist;
	struct grower g = { .t = t };
	arena_init(&g.arena);
	g.keys = arena_new_array(&g.arena, const struct hist_key *, r->fields_nr + 1);
	g.fields = arena_new_array(&g.arena, uint32_t, r->fields_nr + 1);
	for (uint32_t i = 0; i < r->fields_nr; i++)
		if (r->fields[i].column->from != COLUMN_FROM_VALUES && !r->fields[i].elided) {
			g.fields[g.levels] = i;
			g.keys[g.levels++] = &r->fields[i];
		}
	if (!r->quiet)
		add_heads(&g);
	uint32_t *sorted = xmemdup(h->order, h->order_nr * sizeof(*sorted));
	qsort_r(sorted, h->order_nr, sizeof(*sorted), compare_identity, &g);
	struct level_node root = {};
	if (g.levels)
		grow(&g, &root, sorted, h->order_nr, 0);
	report_rows_init(&t->rows, r, t->part);
	add_nodes(&g, &root, 0);
	report_rows_deinit(&t->rows);
	free(sorted);
	arena_deinit(&g.arena);
}
