#include "view/text/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "profile/pattern.h"
#include "view/text/pprof_priv.h"

struct report {
	struct pprof_graph g;
	const struct profile *p;
	const struct callgraph *graph;
	const uint32_t *nodes;
	uint32_t nodes_nr;
	int64_t total;
	const struct pprof_text_options *o;
	struct out *out;
};

/* ---- figures ---- */

static void out_value(const struct report *r, int64_t value, size_t width)
{
	char text[PPROF_LABEL_MAX];
	pprof_graph_value(&r->g, value, text);
	out_right(r->out, text, width);
}

static void out_share(const struct report *r, int64_t value, int64_t of)
{
	char text[PPROF_LABEL_MAX];
	pprof_percentage(value, of, text);
	out_str(r->out, text);
}

static void out_name(const struct report *r, const char *s)
{
	out_text(r->out, s, strlen(s));
}

/* ---- top ---- */

static const char *inline_mark(const struct callgraph *g, const struct callgraph_node *n)
{
	bool inlined = false, called = false;
	for (uint32_t i = 0; i < n->in_nr; i++) {
		const struct callgraph_edge *e = &g->edges.data[g->in.data[n->in_first + i]];
		if (e->dropped)
			continue;
		inlined |= e->inlined;
		called |= !e->inlined;
	}
	return inlined ? called ? " (partial-inline)" : " (inline)" : "";
}

/* flat, flat%, sum%, cum, cum% */
static void out_node_figures(const struct report *r, const struct callgraph_node *n, int64_t sum)
{
	out_value(r, n->flat, 10);
	out_ch(r->out, ' ');
	out_share(r, n->flat, r->total);
	out_ch(r->out, ' ');
	out_share(r, sum, r->total);
	out_ch(r->out, ' ');
	out_value(r, n->cum, 10);
	out_ch(r->out, ' ');
	out_share(r, n->cum, r->total);
}

static void out_top(const struct report *r)
{
	int64_t sum = 0;
	out_str(r->out, "      flat  flat%   sum%        cum   cum%\n");
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		sum += n->flat;
		out_node_figures(r, n, sum);
		out_str(r->out, "  ");
		out_name(r, callgraph_text(r->graph, r->nodes[i]));
		out_str(r->out, inline_mark(r->graph, n));
		out_ch(r->out, '\n');
	}
}

/* ---- tree and peek ---- */

#define TREE_SEPARATOR "----------------------------------------------------------+-------------\n"
#define TREE_LEGEND "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n"

static void out_edges(const struct report *r, const struct callgraph_node *n, bool callers)
{
	const struct callgraph *g = r->graph;
	uint32_t first = callers ? n->in_first : n->out_first, nr = callers ? n->in_nr : n->out_nr;
	for (uint32_t i = 0; i < nr; i++) {
		const struct callgraph_edge *e = &g->edges.data[callers ? g->in.data[first + i] : g->out.data[first + i]];
		if (e->dropped)
			continue;
		/* sums also with mean values, as in pprof */
		out_value(r, e->sum, 50);
		out_ch(r->out, ' ');
		out_share(r, e->sum, n->cum);
		out_str(r->out, " |   ");
		out_name(r, callgraph_text(g, callers ? e->from : e->to));
		out_str(r->out, e->inlined ? " (inline)\n" : "\n");
	}
}

/* peek: a pattern for names; NULL: show all. */
static void out_tree(const struct report *r, const regex_t *peek)
{
	int64_t sum = 0;
	out_str(r->out, TREE_SEPARATOR TREE_LEGEND);
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		const char *name = callgraph_text(r->graph, r->nodes[i]);
		if (peek && regexec(peek, name, 0, NULL, 0))
			continue;
		out_str(r->out, TREE_SEPARATOR);
		out_edges(r, n, true);
		sum += n->flat;
		out_node_figures(r, n, sum);
		out_str(r->out, "                | ");
		out_name(r, name);
		out_ch(r->out, '\n');
		out_edges(r, n, false);
	}
	if (r->nodes_nr)
		out_str(r->out, TREE_SEPARATOR);
}

static bool matches_any(const struct report *r, const regex_t *re)
{
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		if (!regexec(re, callgraph_text(r->graph, r->nodes[i]), 0, NULL, 0))
			return true;
	return false;
}

static struct strobe_error *out_peek(const struct report *r)
{
	regex_t re;
	TRY(pattern_compile(r->o->peek, &re));
	bool any = matches_any(r, &re);
	if (any) {
		pprof_graph_out_head(&r->g, false, r->out);
		out_tree(r, &re);
	}
	regfree(&re);
	return any ? NULL : error_create(ERROR_NOT_FOUND, "no matches found for regexp: %s", r->o->peek);
}

/* ---- traces ---- */

#define TRACE_SEPARATOR "-----------+-------------------------------------------------------\n"

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct pprof_lines pprof_label_lines(const struct profile *p, labels_id labels, bool texts, pprof_label_line_fn line_of)
{
	struct pprof_lines lines = {};
	for (uint32_t i = 0; i < p->columns.len && labels != PROFILE_NONE; i++) {
		if (!profile_column_begins_key(p, i))
			continue;
		char *line = line_of(p, profile_label_values(p, labels), p->columns.data[i].name, texts);
		if (line)
			vec_push(&lines, line);
	}
	if (lines.len > 1)
		qsort(lines.data, lines.len, sizeof(char *), compare_texts);
	return lines;
}

/* The values of one key, separated by blanks; NULL: the set has none. */
static char *trace_label(const struct profile *p, const uint64_t *values, str_id key, bool texts)
{
	_cleanup_strbuf_ struct strbuf b = {};
	for (uint32_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		char number[PPROF_LABEL_MAX];
		if (c->name != key || (c->type == COLUMN_STRING) != texts || !profile_has_label(p, c, values[i]))
			continue;
		if (!texts)
			pprof_label(profile_label_number(values[i]), profile_column_unit(p, i), "auto", number);
		strbuf_addf(&b, "%s%s", b.len ? " " : "", texts ? profile_str(p, (str_id)values[i]) : number);
	}
	return b.len ? xasprintf("%10s:  %s", profile_str(p, key), strbuf_str(&b)) : NULL;
}

/* Texts first, then numbers, each sorted by what is printed. */
static void out_labels(const struct report *r, labels_id labels, bool texts)
{
	const struct profile *p = r->p;
	struct pprof_lines lines = pprof_label_lines(p, labels, texts, trace_label);
	for (size_t i = 0; i < lines.len; i++) {
		out_name(r, lines.data[i]);
		out_ch(r->out, '\n');
		free(lines.data[i]);
	}
	vec_deinit(&lines);
}

#define SHOWN_NR 64

/* Cached text of a trace: for each node blanks and the name; and values, most of which are repeated. */
struct trace_lines {
	struct out text;
	size_t *starts; /* by node; one more at the end */
	struct shown_value {
		int64_t value;
		char text[PPROF_LABEL_MAX]; /* "": none yet */
	} shown[SHOWN_NR];
};

#define TRACE_INDENT 13

static void trace_lines_init(struct trace_lines *t, const struct report *r)
{
	size_t nr = r->graph->nodes.len;
	*t = (struct trace_lines){ .starts = xcalloc(nr + 1, sizeof(*t->starts)) };
	out_init_mem(&t->text);
	for (uint32_t i = 0; i < nr; i++) {
		out_fill(&t->text, ' ', TRACE_INDENT);
		const char *name = callgraph_text(r->graph, i);
		out_text(&t->text, name, strlen(name));
		out_ch(&t->text, '\n');
		t->starts[i + 1] = t->text.len;
	}
}

static void trace_lines_deinit(struct trace_lines *t)
{
	error_destroy(out_close(&t->text));
	free(t->starts);
}

static void out_trace_value(const struct report *r, struct trace_lines *lines, int64_t value)
{
	struct shown_value *s = &lines->shown[hash_u64((uint64_t)value) % SHOWN_NR];
	if (!*s->text || s->value != value) {
		s->value = value;
		pprof_graph_value(&r->g, value, s->text);
	}
	out_right(r->out, s->text, 10);
}

static void out_stack(const struct report *r, struct trace_lines *lines, stack_id stack, int64_t value)
{
	const struct profile *p = r->p;
	size_t all;
	const char *text = out_mem(&lines->text, &all);
	bool is_first = true;
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller) {
		frame_id frame = p->stacks.data[stack].frame;
		uint32_t node = r->graph->frame_nodes[frame];
		if (node == PROFILE_NONE)
			continue;
		size_t from = lines->starts[node], until = lines->starts[node + 1];
		if (is_first) {
			out_trace_value(r, lines, value);
			from += 10;
			is_first = false;
		}
		bool is_inlined = p->frames.data[frame].flags & FRAME_INLINED;
		out_write(r->out, text + from, until - from - is_inlined);
		if (is_inlined)
			out_str(r->out, " (inline)\n");
	}
}

/* A sample: rows of one stack and set of labels. */
struct trace {
	stack_id stack;
	labels_id labels;
	int64_t value, by;
};

struct traces {
	VEC(struct trace) list;
	struct u64map index; /* stack << 32 | labels → number + 1 */
};

/* Samples in order of first occurrence, including those without a value of the event shown. */
static void find_traces(const struct report *r, struct traces *t)
{
	for (size_t i = 0; i < r->p->rows.len; i++) {
		const struct profile_row *row = &r->p->rows.data[i];
		bool is_shown = row->event == r->o->graph.event;
		if (row->stack == PROFILE_NONE || (!is_shown && !r->p->origin.events_are_values))
			continue;
		uint64_t *number = u64map_put(&t->index, (uint64_t)row->stack << 32 | row->labels, NULL);
		if (!*number) {
			struct trace made = { .stack = row->stack, .labels = row->labels };
			vec_push(&t->list, made);
			*number = t->list.len;
		}
		struct trace *at = &t->list.data[*number - 1];
		at->value += is_shown ? (int64_t)row->value : 0;
		at->by += r->o->graph.mean ? callgraph_divisor(r->graph, row) : 0;
	}
	u64map_deinit(&t->index);
}

static void out_traces(const struct report *r)
{
	struct trace_lines lines;
	struct traces traces = {};
	trace_lines_init(&lines, r);
	find_traces(r, &traces);
	pprof_graph_out_profile(&r->g, r->out);
	for (size_t i = 0; i < traces.list.len; i++) {
		const struct trace *t = &traces.list.data[i];
		out_str(r->out, TRACE_SEPARATOR);
		out_labels(r, t->labels, true);
		out_labels(r, t->labels, false);
		out_stack(r, &lines, t->stack, t->by ? t->value / t->by : t->value);
	}
	out_str(r->out, TRACE_SEPARATOR);
	trace_lines_deinit(&lines);
	vec_deinit(&traces.list);
}

/* ---- tags ---- */

struct tag {
	char *text;
	int64_t value;
};

static int compare_tags(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int64_t a_size = pprof_size_of(x->value), b_size = pprof_size_of(y->value);
	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	return strcmp(x->text, y->text);
}

static char *tag_text(const struct report *r, uint32_t column, uint64_t value)
{
	char number[PPROF_LABEL_MAX];
	if (r->p->columns.data[column].type == COLUMN_STRING)
		return xstrdup(profile_str(r->p, (str_id)value));
	pprof_label(profile_label_number(value), profile_column_unit(r->p, column), r->g.unit, number);
	return xstrdup(number);
}

/* "62.50MB (63.37%):" */
static void tag_figures(const struct report *r, int64_t value, struct strbuf *ret)
{
	char text[PPROF_LABEL_MAX], share[PPROF_LABEL_MAX];
	strbuf_reset(ret);
	pprof_graph_value(&r->g, value, text);
	strbuf_addstr(ret, text);
	if (r->total > 0) {
		pprof_percentage(value, r->total, share);
		strbuf_addf(ret, " (%s)", share);
	}
	strbuf_addch(ret, ':');
}

static void out_tags_head(const struct report *r, const char *key, int64_t sum)
{
	char share[PPROF_LABEL_MAX];
	out_ch(r->out, ' ');
	out_name(r, key);
	out_str(r->out, ": Total ");
	out_value(r, sum, 0);
	out_str(r->out, " of ");
	out_value(r, r->total, 0);
	if (r->total > 0) {
		pprof_percentage(sum, r->total, share);
		out_f(r->out, " (%s)", share);
	}
	out_ch(r->out, '\n');
}

/* Right-aligned columns: the key, the sum for a value, the value. */
static void out_tags(const struct report *r, const char *key, const struct tag *tags, size_t nr, int64_t sum)
{
	_cleanup_strbuf_ struct strbuf figures = {};
	size_t width = 0, key_width = strlen(key) + 2;
	out_tags_head(r, key, sum);
	for (size_t i = 0; i < nr; i++) {
		tag_figures(r, tags[i].value, &figures);
		width = figures.len + 1 > width ? figures.len + 1 : width;
	}
	for (size_t i = 0; i < nr; i++) {
		tag_figures(r, tags[i].value, &figures);
		out_fill(r->out, ' ', key_width);
		out_right(r->out, strbuf_str(&figures), width);
		out_ch(r->out, ' ');
		out_name(r, tags[i].text);
		out_ch(r->out, '\n');
	}
	out_ch(r->out, '\n');
}

/* Sums of samples by the values of one key. */
struct tag_sums {
	struct strtab texts;
	VEC(struct tag) tags; /* by text; the first is none */
	int64_t sum;
};

static void add_tag(const struct report *r, struct tag_sums *s, uint32_t column, const struct profile_row *row)
{
	uint64_t value = profile_label_values(r->p, row->labels)[column];
	/* samples that only have other values show 0 */
	int64_t cost = row->event == r->o->graph.event ? (int64_t)row->value : 0;
	if (!profile_has_label(r->p, &r->p->columns.data[column], value))
		return;
	char *text = tag_text(r, column, value);
	str_id id = strtab_add(&s->texts, text);
	if (id == s->tags.len)
		vec_push(&s->tags, ((struct tag){ .text = text }));
	else
		free(text);
	s->tags.data[id].value += cost;
	s->sum += cost;
}

static void out_tag_key(const struct report *r, str_id key)
{
	const struct profile *p = r->p;
	struct tag_sums s = {};
	strtab_init(&s.texts);
	vec_push(&s.tags, ((struct tag){}));
	for (uint32_t c = 0; c < p->columns.len; c++) {
		for (size_t i = 0; p->columns.data[c].name == key && i < p->rows.len; i++) {
			const struct profile_row *row = &p->rows.data[i];
			bool is_shown = row->event == r->o->graph.event || p->origin.events_are_values;
			if (is_shown && row->labels != PROFILE_NONE)
				add_tag(r, &s, c, row);
		}
	}
	if (s.tags.len > 1) {
		qsort(s.tags.data + 1, s.tags.len - 1, sizeof(struct tag), compare_tags);
		out_tags(r, profile_str(p, key), s.tags.data + 1, s.tags.len - 1, s.sum);
	}
	for (size_t i = 1; i < s.tags.len; i++)
		free(s.tags.data[i].text);
	vec_deinit(&s.tags);
	strtab_deinit(&s.texts);
}

static int compare_columns(const void *a, const void *b, void *ctx)
{
	const struct profile *p = ctx;
	return strcmp(profile_str(p, p->columns.data[*(const size_t *)a].name), profile_str(p, p->columns.data[*(const size_t *)b].name));
}

/* In the order of their names. */
static void out_all_tags(const struct report *r)
{
	size_t nr = r->p->columns.len, *order = xcalloc(nr + 1, sizeof(*order));
	for (size_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare_columns, (void *)r->p);
	for (size_t i = 0; i < nr; i++)
		if (profile_column_begins_key(r->p, (uint32_t)order[i]))
			out_tag_key(r, r->p->columns.data[order[i]].name);
	free(order);
}

static struct strobe_error *write_report(const struct report *r)
{
	switch (r->o->report) {
	case PPROF_TOP:
		pprof_graph_out_head(&r->g, false, r->out);
		out_top(r);
		break;
	case PPROF_TREE:
		pprof_graph_out_head(&r->g, false, r->out);
		out_tree(r, NULL);
		break;
	case PPROF_PEEK:
		return out_peek(r);
	case PPROF_TRACES:
		out_traces(r);
		break;
	case PPROF_TAGS:
		out_all_tags(r);
		break;
	case PPROF_COMMENTS:
		for (size_t i = 0; i < r->p->origin.comments.len; i++) {
			out_name(r, profile_str(r->p, r->p->origin.comments.data[i]));
			out_ch(r->out, '\n');
		}
		break;
	}
	return NULL;
}

/* Only two reports need edges; top only checks whether callees are inlined. */
static bool has_edges(const struct profile *p, enum pprof_report report)
{
	if (report != PPROF_TOP)
		return report == PPROF_TREE || report == PPROF_PEEK;
	for (frame_id f = 0; f < p->frames.len; f++)
		if (p->frames.data[f].flags & FRAME_INLINED)
			return true;
	return false;
}

struct strobe_error *view_pprof_text(const struct profile *p, const struct pprof_text_options *options, struct out *out)
{
	struct report r = { .p = p, .o = options, .out = out };
	enum pprof_report report = options->report;
	if (options->graph.event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", options->graph.event);
	struct pprof_graph_options graph = options->graph;
	graph.unsorted_edges = report != PPROF_TREE && report != PPROF_PEEK;
	graph.no_edges = !has_edges(p, report);
	pprof_graph_init(&r.g, p, &graph);
	if (report == PPROF_TOP || report == PPROF_TREE || report == PPROF_PEEK)
		pprof_graph_choose_unit(&r.g);
	r.graph = r.g.graph;
	r.nodes = r.g.nodes;
	r.nodes_nr = r.g.nodes_nr;
	r.total = r.g.total;
	struct strobe_error *err = write_report(&r);
	pprof_graph_deinit(&r.g);
	return err;
}
