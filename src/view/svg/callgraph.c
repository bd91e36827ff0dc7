#include "view/svg/callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/svg/layered.h"

#define LETTER_WIDTH 0.55 /* of the font's size, on average */
#define LINE_HEIGHT 1.2
#define PADDING 8.0
#define MARGIN 16.0
#define LEGEND_FONT 12.0
#define EDGE_FONT 9.0

/* The script that moves and scales the picture: the wheel scales about the pointer, dragging moves, a double click resets. */
static const char script[] =
	"<script><![CDATA[\n"
	"(function(){var s=document.documentElement,b=s.viewBox.baseVal,o=[b.x,b.y,b.width,b.height],d=null;\n"
	"function at(e){var r=s.getBoundingClientRect(),k=Math.max(b.width/r.width,b.height/r.height);return{x:b.x+b.width/2+"
	"(e.clientX-r.left-r.width/2)*k,y:b.y+b.height/2+(e.clientY-r.top-r.height/2)*k,k:k};}\n"
	"s.addEventListener('wheel',function(e){var p=at(e),f=e.deltaY<0?0.85:1/0.85;e.preventDefault();"
	"b.x=p.x-(p.x-b.x)*f;b.y=p.y-(p.y-b.y)*f;b.width*=f;b.height*=f;},{passive:false});\n"
	"s.addEventListener('mousedown',function(e){d={x:e.clientX,y:e.clientY};e.preventDefault();});\n"
	"window.addEventListener('mousemove',function(e){if(!d)return;var k=at(e).k;b.x-=(e.clientX-d.x)*k;"
	"b.y-=(e.clientY-d.y)*k;d={x:e.clientX,y:e.clientY};});\n"
	"window.addEventListener('mouseup',function(){d=null;});\n"
	"s.addEventListener('dblclick',function(){b.x=o[0];b.y=o[1];b.width=o[2];b.height=o[3];});})();\n"
	"]]></script>\n";

struct box {
	struct strbuf lines;
	int font;
};

/* A box of labels, which is below its node, or below another such box. */
struct label_box {
	struct pprof_box box;
	uint32_t parent; /* its place in the layout */
};

struct picture {
	struct pprof_graph r;
	struct layered_graph layout;
	struct box *boxes;        /* by index among the nodes shown */
	uint32_t *edges, edges_nr; /* of the call graph, by edge of the layout */
	VEC(struct label_box) labels; /* after the nodes and edges of the graph itself */
	VEC(struct pprof_boxes) owned; /* their texts */
	struct out head;
	double legend_width, legend_height, width, height;
	struct out *out;
};

/* ---- sizes ---- */

static void measure(const char *text, size_t n, double font, double *ret_width, double *ret_height)
{
	size_t longest = 0, lines = 0;
	for (const char *end = text + n; text < end; lines++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t letters = 0;
		for (const char *at = text; at < (stop ? stop : end); at++)
			letters += (*at & 0xc0) != 0x80;
		longest = letters > longest ? letters : longest;
		text = stop ? stop + 1 : end;
	}
	*ret_width = (double)longest * font * LETTER_WIDTH + 2 * PADDING;
	*ret_height = (double)lines * font * LINE_HEIGHT + PADDING;
}

#define LABEL_FONT 8

static void list_labels(struct picture *p)
{
	for (uint32_t i = 0; i < p->r.nodes_nr; i++) {
		struct pprof_boxes boxes;
		uint32_t first = p->r.nodes_nr + (uint32_t)p->labels.len;
		pprof_boxes_init(&boxes, &p->r, p->r.nodes[i]);
		for (size_t j = 0; j < boxes.list.len; j++) {
			const struct pprof_box *b = &boxes.list.data[j];
			uint32_t parent = b->parent == PROFILE_NONE ? i : first + b->parent;
			vec_push(&p->labels, ((struct label_box){ *b, parent }));
		}
		vec_push(&p->owned, boxes);
	}
}

static void make_boxes(struct picture *p)
{
	int64_t most_flat = pprof_graph_most_flat(&p->r);
	uint32_t nr = p->r.nodes_nr, labels = (uint32_t)p->labels.len;
	p->boxes = xcalloc((size_t)nr + 1, sizeof(*p->boxes));
	p->layout.nodes = xcalloc((size_t)nr + labels + 1, sizeof(*p->layout.nodes));
	p->layout.nodes_nr = nr + labels;
	for (uint32_t i = 0; i < nr; i++) {
		struct box *b = &p->boxes[i];
		pprof_graph_node_lines(&p->r, p->r.nodes[i], &b->lines);
		b->font = pprof_graph_font_size(&p->r, p->r.nodes[i], most_flat);
		measure(strbuf_str(&b->lines), b->lines.len, b->font, &p->layout.nodes[i].width, &p->layout.nodes[i].height);
	}
	for (uint32_t i = 0; i < labels; i++) {
		const char *text = p->labels.data[i].box.text;
		measure(text, strlen(text), LABEL_FONT, &p->layout.nodes[nr + i].width, &p->layout.nodes[nr + i].height);
	}
}

static double share_of(const struct picture *p, int64_t value)
{
	return p->r.total ? (double)value / (double)pprof_size_of(p->r.total) : 0;
}

static void make_edges(struct picture *p)
{
	uint32_t nr, *places = xcalloc(p->r.graph->nodes.len + 1, sizeof(*places)), labels = (uint32_t)p->labels.len;
	p->edges = pprof_graph_edges(&p->r, &nr);
	p->edges_nr = nr;
	p->layout.edges = xcalloc((size_t)nr + labels + 1, sizeof(*p->layout.edges));
	p->layout.edges_nr = nr + labels;
	for (uint32_t i = 0; i < p->r.nodes_nr; i++)
		places[p->r.nodes[i]] = i;
	for (uint32_t i = 0; i < nr; i++) {
		const struct callgraph_edge *e = &p->r.graph->edges.data[p->edges[i]];
		double weight = 1 + 100 * share_of(p, pprof_size_of(e->weight));
		p->layout.edges[i] = (struct layered_edge){ .from = places[e->from], .to = places[e->to], .weight = weight };
	}
	for (uint32_t i = 0; i < labels; i++)
		p->layout.edges[nr + i] = (struct layered_edge){
			.from = p->labels.data[i].parent,
			.to = p->r.nodes_nr + i,
			.weight = 100,
		};
	free(places);
}

/* ---- what is drawn ---- */

static void out_lines(struct picture *p, const char *text, size_t n, double x, double y, double font, const char *anchor)
{
	for (const char *end = text + n; text < end; y += font * LINE_HEIGHT) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);
		out_f(p->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\">", x, y, font, anchor);
		out_xml(p->out, text, length);
		out_str(p->out, "</text>\n");
		text += length + 1;
	}
}

static void out_legend(struct picture *p)
{
	size_t n;
	const char *text = out_mem(&p->head, &n);
	out_f(p->out, "<g id=\"legend\"><rect x=\"0\" y=\"0\" width=\"%.1f\" height=\"%.1f\" fill=\"#f8f8f8\" stroke=\"#000\"/>\n",
	      p->legend_width, p->legend_height);
	out_lines(p, text, n, PADDING, PADDING / 2 + LEGEND_FONT, LEGEND_FONT, "start");
	out_str(p->out, "</g>\n");
}

static void out_title(struct picture *p, uint32_t from, const char *arrow, uint32_t to, const char *value)
{
	const char *a = callgraph_text(p->r.graph, from), *b = arrow ? callgraph_text(p->r.graph, to) : "";
	out_str(p->out, "<title>");
	out_xml_str(p->out, a);
	out_xml_str(p->out, arrow ? arrow : "");
	out_xml_str(p->out, b);
	out_f(p->out, " (%s)</title>", value);
}

static void out_box(struct picture *p, uint32_t i)
{
	const struct layered_node *at = &p->layout.nodes[i];
	const struct box *b = &p->boxes[i];
	int64_t cum = p->r.graph->nodes.data[p->r.nodes[i]].cum;
	char value[PPROF_LABEL_MAX], colour[8], background[8];
	double share = share_of(p, cum);
	pprof_graph_value(&p->r, cum, value);
	pprof_colour(share, false, colour);
	pprof_colour(share, true, background);
	out_f(p->out, "<g id=\"node%u\" class=\"node\">", i + 1);
	out_title(p, p->r.nodes[i], NULL, 0, value);
	out_f(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"%s\"/>\n",
	      at->x - at->width / 2, at->y - at->height / 2, at->width, at->height, background, colour);
	out_lines(p, strbuf_str(&b->lines), b->lines.len, at->x, at->y - at->height / 2 + PADDING / 2 + b->font, b->font, "middle");
	out_str(p->out, "</g>\n");
}

/* Draws curves between layers and straight lines through them. */
static void out_path(struct picture *p, const struct layered_edge *e)
{
	const struct layered_point *at = e->points;
	out_f(p->out, "M%.1f,%.1f", at[0].x, at[0].y);
	for (uint32_t i = 1; i < e->points_nr; i++) {
		double middle = (at[i - 1].y + at[i].y) / 2;
		if (i % 2)
			out_f(p->out, "C%.1f,%.1f %.1f,%.1f %.1f,%.1f", at[i - 1].x, middle, at[i].x, middle, at[i].x, at[i].y);
		else
			out_f(p->out, "L%.1f,%.1f", at[i].x, at[i].y);
	}
}

/* A separate arrowhead for each edge: some programs do not give markers the colour of the line. */
static void out_head_of(struct picture *p, const struct layered_edge *e, double width, const char *colour)
{
	struct layered_point tip = e->points[e->points_nr - 1], before = e->points[e->points_nr - 2];
	double size = 4 + width, back = before.y < tip.y ? -2 * size : 2 * size;
	out_f(p->out, "<path d=\"M%.1f,%.1fL%.1f,%.1fL%.1f,%.1fZ\" fill=\"%s\"/>", tip.x, tip.y, tip.x - size, tip.y + back,
	      tip.x + size, tip.y + back, colour);
}

struct line {
	double width;
	const char *colour, *value, *suffix; /* after the value */
	bool is_dotted;
};

static void out_line(struct picture *p, const struct layered_edge *e, struct line line)
{
	out_str(p->out, "<path d=\"");
	out_path(p, e);
	out_f(p->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>", line.colour, line.width,
	      line.is_dotted ? " stroke-dasharray=\"1,4\"" : "");
	out_head_of(p, e, line.width, line.colour);
	/* in the middle of the first step, where edges are separate */
	double x = (e->points[0].x + e->points[1].x) / 2, y = (e->points[0].y + e->points[1].y) / 2;
	out_f(p->out, "<text class=\"value\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\">", x + 3, y + EDGE_FONT / 3, EDGE_FONT);
	out_xml_str(p->out, line.value);
	out_f(p->out, "%s</text></g>\n", line.suffix);
}

static void out_edge(struct picture *p, uint32_t i)
{
	const struct callgraph_edge *edge = &p->r.graph->edges.data[p->edges[i]];
	char value[PPROF_LABEL_MAX], colour[8];
	double share = share_of(p, edge->weight), width = 1 + 5 * (share < 0 ? -share : share);
	pprof_graph_value(&p->r, edge->weight, value);
	pprof_colour(share, false, colour);
	out_f(p->out, "<g id=\"edge%u\" class=\"edge\">", i + 1);
	out_title(p, edge->from, edge->residual ? " ... " : " -> ", edge->to, value);
	out_line(p, &p->layout.edges[i], (struct line){ width > 6 ? 6 : width, colour, value, edge->inlined ? " (inline)" : "",
							edge->residual });
}

/* A box of labels and the line to it; its right and lower sides are doubled, so that it does not look like a function. */
static void out_label(struct picture *p, uint32_t i)
{
	const struct pprof_box *b = &p->labels.data[i].box;
	const struct layered_node *at = &p->layout.nodes[p->r.nodes_nr + i];
	double left = at->x - at->width / 2, top = at->y - at->height / 2;
	char value[PPROF_LABEL_MAX];
	pprof_graph_value(&p->r, b->value, value);
	out_str(p->out, "<g class=\"label-edge\">");
	out_line(p, &p->layout.edges[p->edges_nr + i], (struct line){ 1, "#000", value, "", b->is_passed });
	out_f(p->out, "<g class=\"label\"><title>%s</title>", value);
	out_f(p->out, "<path d=\"M%.1f,%.1fh%.1fl3,3v%.1fh%.1fl-3,-3z\" fill=\"#f8f8f8\" stroke=\"#000\"/>\n", left, top, at->width,
	      at->height, -at->width);
	out_f(p->out, "<path d=\"M%.1f,%.1fh%.1fv%.1fm0,%.1fl3,3\" fill=\"none\" stroke=\"#000\"/>\n", left, top + at->height,
	      at->width, -at->height, at->height);
	out_lines(p, b->text, strlen(b->text), at->x, top + PADDING / 2 + LABEL_FONT, LABEL_FONT, "middle");
	out_str(p->out, "</g>\n");
}

static void out_picture(struct picture *p)
{
	double top = p->legend_height + 2 * MARGIN;
	double wide = p->layout.width > p->legend_width ? p->layout.width : p->legend_width;
	double width = p->width = wide + 2 * MARGIN, height = p->height = p->legend_height + p->layout.height + 3 * MARGIN;
	out_f(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
	      width, height, width, height);
	out_str(p->out, "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#000}.value{paint-order:stroke;stroke:#fff;"
			"stroke-width:2px}</style>\n");
	out_f(p->out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n<g transform=\"translate(%.1f,%.1f)\">\n", width, height,
	      MARGIN, MARGIN);
	out_legend(p);
	out_f(p->out, "</g>\n<g transform=\"translate(%.1f,%.1f)\">\n", MARGIN + (wide - p->layout.width) / 2, top);
	for (uint32_t i = p->edges_nr; i--;)
		out_edge(p, i);
	for (uint32_t i = 0; i < p->labels.len; i++)
		out_label(p, i);
	for (uint32_t i = 0; i < p->r.nodes_nr; i++)
		out_box(p, i);
	out_str(p->out, "</g>\n");
	out_str(p->out, script);
	out_str(p->out, "</svg>\n");
}

static struct strobe_error *draw(const struct profile *profile, const struct pprof_graph_options *options, struct out *out,
				 double *ret_width, double *ret_height)
{
	struct picture p = { .layout = { .gap_x = 20, .gap_y = 45 }, .out = out };
	size_t n;
	if (options->event >= profile->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", options->event);
	pprof_graph_init(&p.r, profile, options);
	pprof_graph_choose_unit(&p.r);
	out_init_mem(&p.head);
	pprof_graph_out_head(&p.r, true, &p.head);
	const char *head = out_mem(&p.head, &n);
	measure(head, n, LEGEND_FONT, &p.legend_width, &p.legend_height);
	list_labels(&p);
	make_boxes(&p);
	make_edges(&p);
	layered_layout(&p.layout);
	out_picture(&p);
	for (uint32_t i = 0; i < p.r.nodes_nr; i++)
		strbuf_deinit(&p.boxes[i].lines);
	for (size_t i = 0; i < p.owned.len; i++)
		pprof_boxes_deinit(&p.owned.data[i]);
	vec_deinit(&p.owned);
	vec_deinit(&p.labels);
	layered_free(&p.layout);
	free(p.layout.nodes);
	free(p.layout.edges);
	free(p.boxes);
	free(p.edges);
	pprof_graph_deinit(&p.r);
	*ret_width = p.width;
	*ret_height = p.height;
	return out_close(&p.head);
}

struct strobe_error *view_callgraph_svg(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
{
	double width, height;
	return draw(p, options, out, &width, &height);
}

struct strobe_error *view_callgraph_picture(const struct profile *p, const struct pprof_graph_options *options,
					    enum picture_format format, struct out *out)
{
	struct out svg;
	double width, height;
	size_t n;
	out_init_mem(&svg);
	struct strobe_error *err = draw(p, options, &svg, &width, &height);
	const char *text = out_mem(&svg, &n);
	if (!err)
		err = picture_write(text, n, width, height, format, out);
	return error_first(err, out_close(&svg));
}
