/* The report as a tree of its sort keys: one level for each key, with the sums of what is below. */
#include <string.h>

#include "view/cells.h"
#include "view/levels.h"
#include "view/text/text_priv.h"

struct grower {
	struct text_part *t;
	struct levels l;
};

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
		add_blanks(t, (g->l.nr - 1) * HIERARCHY_INDENT);
	strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
	size_t start = t->line.len;
	text_cell(t, g->l.fields[level], &t->part->hist->entries.data[node->entry], true);
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
		add_blanks(t, (g->l.nr + level - 1) * HIERARCHY_INDENT + sums_width(t) + 4);
		strbuf_addf(&t->line, "no entry >= %.2f%%", t->report->percent_limit);
		text_flush_line(t);
	}
}

static void add_repeated(struct text_part *t, char c, unsigned n)
{
	while (n--)
		strbuf_addch(&t->line, c);
}

/* The line above the headers, if a column has a title there. */
static void add_titles(struct grower *g)
{
	struct text_part *t = g->t;
	const struct report *r = t->report;
	strbuf_addstr(&t->line, "# ");
	if (!r->separator)
		add_blanks(t, (g->l.nr - 1) * HIERARCHY_INDENT);
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		if (r->fields[i].column->from != COLUMN_FROM_VALUES)
			continue;
		cell_add_title(r, t->part, &r->fields[i], t->widths[i], &t->line);
		strbuf_addstr(&t->line, r->separator ? r->separator : "  ");
	}
	text_flush_line(t);
}

static void add_heads(struct grower *g)
{
	struct text_part *t = g->t;
	const struct report *r = t->report;
	const char *separator = r->separator ? r->separator : "  ";
	bool first = true;
	if (cell_any_divided(r))
		add_titles(g);
	strbuf_addstr(&t->line, "# ");
	if (!r->separator)
		add_blanks(t, (g->l.nr - 1) * HIERARCHY_INDENT);
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
	for (uint32_t l = 0; l < g->l.nr; l++) {
		if (l)
			strbuf_addstr(&t->line, " / ");
		const char *header = g->l.keys[l]->header;
		strbuf_addstr(&t->line, header + strspn(header, " "));
		unsigned needs = l * HIERARCHY_INDENT + t->widths[g->l.fields[l]];
		width = needs > width ? needs : width;
	}
	if (t->line.len - start > width)
		width = (unsigned)(t->line.len - start);
	text_flush_line(t);
	if (r->separator)
		return;
	strbuf_addstr(&t->line, "# ");
	add_repeated(t, '.', (g->l.nr - 1) * HIERARCHY_INDENT);
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
	levels_create(&g.l, r, t->part, h->order, h->order_nr);
	if (!t->options->quiet)
		add_heads(&g);
	report_rows_init(&t->rows, r, t->part);
	add_nodes(&g, &g.l.root, 0);
	report_rows_deinit(&t->rows);
	levels_deinit(&g.l);
}
