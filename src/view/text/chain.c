/* Call trees drawn with lines, listed flat, or folded. */
#include <stdlib.h>

#include "base/mem.h"
#include "view/text/text_priv.h"

#define MARGIN "            "
#define STEP 11 /* columns from one level to the next */

struct drawer {
	struct text_part *t;
	const struct calltree_options *o;
	VEC(char) lines; /* by level: whether it has a vertical line */
	bool by_address;
	bool wrote;
};

static void add_frame(struct drawer *d, frame_id frame)
{
	report_frame_name(d->t->part->hist, frame, d->by_address, &d->t->line);
}

/* A share of the total, in the selected unit. */
static void add_share(struct drawer *d, uint64_t period, uint64_t samples, uint64_t total)
{
	switch (d->o->value) {
	case CALLTREE_PERIOD: strbuf_addf(&d->t->line, "%llu", (unsigned long long)period); break;
	case CALLTREE_COUNT: strbuf_addf(&d->t->line, "%llu", (unsigned long long)samples); break;
	case CALLTREE_PERCENT: {
		double percent = report_percent(period, total);
		bool coloured = text_colour(d->t, percent);
		strbuf_addf(&d->t->line, "%.2f%%", percent);
		text_colour_end(d->t, coloured);
		break;
	}
	}
}

/* The vertical lines of the levels up to depth, each with its gap. */
static void add_lines(struct drawer *d, size_t depth, bool last_gap)
{
	strbuf_addstr(&d->t->line, MARGIN);
	for (size_t i = 0; i < depth; i++) {
		strbuf_addch(&d->t->line, d->lines.data[i] ? '|' : ' ');
		if (i + 1 < depth || last_gap)
			strbuf_addstr(&d->t->line, "          ");
	}
}

static void set_line(struct drawer *d, size_t level, bool on)
{
	while (d->lines.len <= level)
		vec_push(&d->lines, 0);
	d->lines.data[level] = on;
}

static void add_indent(struct drawer *d, unsigned indent)
{
	for (unsigned i = 0; i < indent; i++)
		strbuf_addch(&d->t->line, ' ');
}

/* The frames of one branch, its share before the first. */
static void draw_branch(struct drawer *d, const struct calltree_node *n, size_t depth, uint64_t total, unsigned indent)
{
	for (uint32_t i = 0; i < n->frames_nr; i++) {
		add_indent(d, indent);
		add_lines(d, depth, i > 0);
		if (!i) {
			strbuf_addstr(&d->t->line, "--");
			add_share(d, calltree_total(n), n->hits_samples + n->below_samples, total);
			strbuf_addstr(&d->t->line, "--");
		}
		add_frame(d, n->frames[i]);
		text_flush_line(d->t);
		d->wrote = true;
	}
}

static void draw_gap(struct drawer *d, size_t depth, unsigned indent)
{
	add_indent(d, indent);
	add_lines(d, depth, true);
	text_flush_line(d->t);
}

/* The sum of branches below the threshold, if shares are relative to the parent. */
static void draw_rest(struct drawer *d, size_t depth, uint64_t rest, uint64_t samples, uint64_t total, unsigned indent)
{
	add_indent(d, indent);
	add_lines(d, depth, false);
	strbuf_addstr(&d->t->line, "--");
	add_share(d, rest, samples, total);
	strbuf_addstr(&d->t->line, "--[...]");
	text_flush_line(d->t);
}

static void draw_children(struct drawer *d, const struct calltree_node *parent, size_t depth, uint64_t total,
			  unsigned indent)
{
	bool fractal = d->o->mode == CALLTREE_FRACTAL;
	uint64_t rest = total, rest_samples = parent->below_samples;
	uint32_t printed = 0;
	for (const struct calltree_node *n = parent->child; n; n = n->next) {
		rest -= calltree_total(n);
		rest_samples -= n->hits_samples + n->below_samples;
		set_line(d, depth - 1, true);
		draw_gap(d, depth, indent);
		/* The vertical line ends at the last branch, unless the remainder follows. */
		bool ends = !n->next && (!fractal || !rest);
		set_line(d, depth - 1, !ends);
		draw_branch(d, n, depth, total, indent);
		draw_children(d, n, depth + 1, fractal ? n->below : total, indent);
		if (++printed == d->o->print_limit)
			break;
	}
	if (fractal && rest && rest != total) {
		set_line(d, depth - 1, false);
		draw_rest(d, depth, rest, rest_samples, total, indent);
	}
}

/* A single branch with all of the entry is written without a share. */
static void draw_only_branch(struct drawer *d, const struct calltree_node *n, unsigned *indent)
{
	bool skip_first = d->t->report->symbol_first;
	uint32_t printed = 0;
	bool first = true;
	for (uint32_t i = 0; i < n->frames_nr; i++) {
		if (!i && skip_first)
			continue;
		if (first) {
			strbuf_addstr(&d->t->line, MARGIN "|");
			text_flush_line(d->t);
			strbuf_addstr(&d->t->line, MARGIN "---");
			*indent = 3;
		} else {
			strbuf_addstr(&d->t->line, MARGIN "   ");
		}
		first = false;
		add_frame(d, n->frames[i]);
		text_flush_line(d->t);
		d->wrote = true;
		if (++printed == d->o->print_limit)
			break;
	}
}

static void draw_graph(struct drawer *d, const struct calltree_node *root, uint64_t whole, uint64_t total)
{
	unsigned indent = 0;
	const struct calltree_node *only = root->child, *from = root;
	if (only && !only->next && calltree_total(only) == whole) {
		draw_only_branch(d, only, &indent);
		from = only;
	}
	draw_children(d, from, 1, d->o->mode == CALLTREE_FRACTAL ? whole : total, indent);
	if (d->wrote)
		out_ch(d->t->out, '\n');
}

/* Nodes in which samples end, in descending order, equal ones in tree order. */
struct ended {
	const struct calltree_node *node;
	size_t place;
};
struct ended_list {
	VEC(struct ended) list;
};

static void collect_ended(struct ended_list *l, const struct calltree_node *n, uint64_t min)
{
	for (const struct calltree_node *c = n->child; c; c = c->next)
		collect_ended(l, c, min);
	if (n->hits && n->hits >= min)
		vec_push(&l->list, ((struct ended){ n, l->list.len }));
}

static int compare_ended(const void *pa, const void *pb)
{
	const struct ended *a = pa, *b = pb;
	if (a->node->hits != b->node->hits)
		return a->node->hits > b->node->hits ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

typedef VEC(frame_id) frame_list;

static void add_path(frame_list *path, const struct calltree_node *n)
{
	if (n->parent)
		add_path(path, n->parent);
	for (uint32_t i = 0; i < n->frames_nr; i++)
		vec_push(path, n->frames[i]);
}

static void list_flat(struct drawer *d, const struct calltree_node *n, const frame_id *frames, size_t frames_nr, uint64_t total)
{
	strbuf_addstr(&d->t->line, "           ");
	/* perf includes the samples below the branch. */
	add_share(d, calltree_total(n), n->hits_samples + n->below_samples, total);
	text_flush_line(d->t);
	for (size_t i = 0; i < frames_nr; i++) {
		strbuf_addstr(&d->t->line, "                ");
		add_frame(d, frames[i]);
		text_flush_line(d->t);
	}
	out_ch(d->t->out, '\n');
}

static void list_folded(struct drawer *d, const struct calltree_node *n, const frame_id *frames, size_t frames_nr,
			uint64_t total)
{
	const char *separator = d->t->report->separator ? d->t->report->separator : ";";
	add_share(d, n->hits, n->hits_samples, total);
	strbuf_addch(&d->t->line, ' ');
	for (size_t i = 0; i < frames_nr; i++) {
		if (i)
			strbuf_addstr(&d->t->line, separator);
		add_frame(d, frames[i]);
	}
	text_flush_line(d->t);
}

static void list_paths(struct drawer *d, const struct calltree_node *root, uint64_t total)
{
	struct ended_list l = {};
	uint64_t min = (uint64_t)((double)d->t->part->hist->totals[0].period * (d->o->min_percent / 100.0));
	collect_ended(&l, root, min);
	if (l.list.len)
		qsort(l.list.data, l.list.len, sizeof(*l.list.data), compare_ended);
	frame_list path = {};
	for (size_t i = 0; i < l.list.len; i++) {
		vec_clear(&path);
		add_path(&path, l.list.data[i].node);
		(d->o->mode == CALLTREE_FLAT ? list_flat : list_folded)(d, l.list.data[i].node, path.data, path.len, total);
		if (i + 1 == d->o->print_limit)
			break;
	}
	vec_deinit(&path);
	vec_deinit(&l.list);
}

void text_chain(struct text_part *t, uint32_t entry)
{
	const struct calltree_node *root = t->rows.trees ? calltrees_get(t->rows.trees, entry) : NULL;
	if (!root || !root->child)
		return;
	const struct hist_stat *s = hist_stats(t->part->hist, &t->part->hist->entries.data[entry]);
	uint64_t whole = t->part->hist->options.children ? s->children : s->period;
	uint64_t total = t->part->hist->totals[0].period; /* of all samples, whatever the filters leave */
	struct drawer d = { .t = t, .o = &t->report->chains, .by_address = t->report->chains.by_address };
	if (d.o->mode == CALLTREE_FLAT || d.o->mode == CALLTREE_FOLDED)
		list_paths(&d, root, total);
	else
		draw_graph(&d, root, whole, total);
	vec_deinit(&d.lines);
}

void text_call_tree(struct out *o, struct hist *h, const struct calltree_options *options, struct calltrees *trees, uint32_t entry)
{
	static const struct report_text plain;
	const struct report r = { .chains = *options };
	const struct report_part part = { .hist = h, .has_chains = true };
	struct text_part t = { .out = o, .report = &r, .options = &plain, .part = &part, .rows = { .trees = trees } };
	text_chain(&t, entry);
	strbuf_deinit(&t.line);
}
