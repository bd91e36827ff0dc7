#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/text/pprof.h"

/* Inside of quotes: backslashes and quotes are escaped, and line breaks are \l (left-aligned) or \n (centred). */
static void out_quoted(struct out *out, const char *s, size_t n, const char *new_line)
{
	for (const char *end = s + n; s < end;) {
		size_t plain = 0;
		while (s + plain < end && !strchr("\n\"\\", s[plain]))
			plain++;
		out_text(out, s, plain);
		s += plain;
		if (s == end)
			break;
		if (*s == '\n')
			out_str(out, new_line);
		else
			out_f(out, "\\%c", *s);
		s++;
	}
}

static void out_name(struct out *out, const struct pprof_graph *r, uint32_t node)
{
	const char *name = callgraph_text(r->graph, node);
	out_quoted(out, name, strlen(name), "\\l");
}

static const char *title_of(const struct profile *p)
{
	return p->mappings.len && p->mappings.data[0].path ? profile_str(p, p->mappings.data[0].name) : "";
}

static void out_legend(const struct pprof_graph *r, struct out *out)
{
	struct out head;
	size_t n;
	out_init_mem(&head);
	pprof_graph_out_head(r, true, &head);
	out_str(&head, "\nSee https://git.io/JfYMW for how to read the graph\n");
	const char *text = out_mem(&head, &n), *title = title_of(r->p);
	const char *end = memchr(text, '\n', n);
	out_str(out, "subgraph cluster_L { \"");
	out_quoted(out, text, (size_t)(end - text), "\\l");
	out_str(out, "\" [shape=box fontsize=16 label=\"");
	out_quoted(out, text, n, "\\l");
	out_ch(out, '"');
	if (*title) {
		out_str(out, " tooltip=\"");
		out_quoted(out, title, strlen(title), "\\l");
		out_ch(out, '"');
	}
	out_str(out, "] }\n");
	error_destroy(out_close(&head));
}

static void out_node(const struct pprof_graph *r, uint32_t node, uint32_t number, int64_t most_flat, struct out *out)
{
	const struct callgraph_node *n = &r->graph->nodes.data[node];
	_cleanup_strbuf_ struct strbuf label = {};
	char value[PPROF_LABEL_MAX], colour[8], background[8];
	double share = r->total ? (double)n->cum / (double)pprof_size_of(r->total) : 0;
	pprof_graph_node_lines(r, node, &label);
	pprof_graph_value(r, n->cum, value);
	pprof_colour(share, false, colour);
	pprof_colour(share, true, background);
	out_f(out, "N%u [label=\"", number);
	out_quoted(out, strbuf_str(&label), label.len, "\\n");
	out_f(out, "\" id=\"node%u\" fontsize=%d shape=box tooltip=\"", number, pprof_graph_font_size(r, node, most_flat));
	out_name(out, r, node);
	out_f(out, " (%s)\" color=\"%s\" fillcolor=\"%s\"]\n", value, colour, background);
}

/* The name of a box: its parent's and its number; a letter more for sizes, as in go tool pprof. */
static void add_box_id(struct strbuf *b, const struct pprof_boxes *boxes, uint32_t box, uint32_t number)
{
	const struct pprof_box *at = &boxes->list.data[box];
	if (at->is_size)
		strbuf_addch(b, 'N');
	if (at->parent == PROFILE_NONE)
		strbuf_addf(b, "N%u", number);
	else
		add_box_id(b, boxes, at->parent, number);
	strbuf_addf(b, "_%u", at->number);
}

static void out_box(const struct pprof_graph *r, const struct pprof_boxes *boxes, uint32_t box, uint32_t number, struct out *out)
{
	const struct pprof_box *at = &boxes->list.data[box];
	_cleanup_strbuf_ struct strbuf id = {}, parent = {};
	char value[PPROF_LABEL_MAX];
	add_box_id(&id, boxes, box, number);
	if (at->parent == PROFILE_NONE)
		strbuf_addf(&parent, "N%u", number);
	else
		add_box_id(&parent, boxes, at->parent, number);
	pprof_graph_value(r, at->value, value);
	out_f(out, "%s [label = \"", strbuf_str(&id));
	out_quoted(out, at->text, strlen(at->text), "\\n");
	out_f(out, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", strbuf_str(&id), value);
	out_f(out, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n", strbuf_str(&parent),
	      strbuf_str(&id), value, value, value, at->is_passed ? " style=\"dotted\"" : "");
}

/* Whether there were any. */
static bool out_boxes(const struct pprof_graph *r, uint32_t node, uint32_t number, struct out *out)
{
	struct pprof_boxes boxes;
	pprof_boxes_init(&boxes, r, node);
	for (uint32_t i = 0; i < boxes.list.len; i++)
		out_box(r, &boxes, i, number, out);
	bool had = boxes.list.len;
	pprof_boxes_deinit(&boxes);
	return had;
}

static int64_t at_most(int64_t v, int64_t most)
{
	return v < most ? v : most;
}

static void out_tooltip(const struct pprof_graph *r, const struct callgraph_edge *e, const char *value, struct out *out)
{
	out_ch(out, '"');
	out_name(out, r, e->from);
	out_str(out, e->residual ? " ... " : " -> ");
	out_name(out, r, e->to);
	out_f(out, " (%s)\"", value);
}

static void out_edge(const struct pprof_graph *r, const struct callgraph_edge *e, const uint32_t *numbers, bool has_boxes,
		     struct out *out)
{
	char value[PPROF_LABEL_MAX], colour[8];
	pprof_graph_value(r, e->weight, value);
	out_f(out, "N%u -> N%u [label=\" %s%s\"", numbers[e->from], numbers[e->to], value, e->inlined ? "\\n (inline)" : "");
	if (r->total) {
		int64_t percent = at_most(pprof_size_of((int64_t)((__int128)e->weight * 100 / r->total)), 100);
		int64_t twentieths = at_most(pprof_size_of((int64_t)((__int128)e->weight * 5 / r->total)), 5);
		if (percent)
			out_f(out, " weight=%d", (int)percent + 1);
		if (twentieths)
			out_f(out, " penwidth=%d", (int)twentieths + 1);
		pprof_colour((double)e->weight / (double)pprof_size_of(r->total), false, colour);
		out_f(out, " color=\"%s\"", colour);
	}
	out_str(out, " tooltip=");
	out_tooltip(r, e, value, out);
	out_str(out, " labeltooltip=");
	out_tooltip(r, e, value, out);
	/* more distance to callees if there are boxes in between */
	out_f(out, "%s%s]\n", e->residual ? " style=\"dotted\"" : "", has_boxes ? " minlen=2" : "");
}

static void out_graph(const struct pprof_graph *r, struct out *out)
{
	uint32_t *numbers = xcalloc(r->graph->nodes.len + 1, sizeof(*numbers)), edges_nr;
	uint32_t *edges = pprof_graph_edges(r, &edges_nr);
	bool *has_boxes = xcalloc(r->graph->nodes.len + 1, sizeof(*has_boxes));
	int64_t most_flat = pprof_graph_most_flat(r);
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		numbers[r->nodes[i]] = i + 1;
		out_node(r, r->nodes[i], i + 1, most_flat, out);
		has_boxes[r->nodes[i]] = out_boxes(r, r->nodes[i], i + 1, out);
	}
	for (uint32_t i = 0; i < edges_nr; i++) {
		const struct callgraph_edge *e = &r->graph->edges.data[edges[i]];
		out_edge(r, e, numbers, has_boxes[e->from], out);
	}
	free(has_boxes);
	free(edges);
	free(numbers);
}

struct strobe_error *view_pprof_dot(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
{
	struct pprof_graph r;
	const char *title = title_of(p);
	if (options->event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", options->event);
	pprof_graph_init(&r, p, options);
	pprof_graph_choose_unit(&r);
	out_str(out, "digraph \"");
	title = *title ? title : "unnamed";
	out_quoted(out, title, strlen(title), "\\l");
	out_str(out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
	out_legend(&r, out);
	out_graph(&r, out);
	out_str(out, "}\n");
	pprof_graph_deinit(&r);
	return NULL;
}
