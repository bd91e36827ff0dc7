#include "view/text/pprof.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "view/pprof_units.h"

struct report {
	const struct profile *p;
	struct pprof_text_options o;
	struct out *out;
	const char *sample_unit, *unit; /* of the profile; as shown */
	int64_t total;
	struct callgraph *graph;
	uint32_t *nodes, nodes_nr;      /* as shown */
	uint32_t all_nr, dropped_nr;
};

/* ---- figures ---- */

static void value_text(const struct report *r, int64_t value, char ret[static PPROF_LABEL_MAX])
{
	pprof_label(r->o.divide_by == 1 ? value : (int64_t)((double)value / r->o.divide_by), r->sample_unit, r->unit, ret);
}

static void out_value(const struct report *r, int64_t value, size_t width)
{
	char text[PPROF_LABEL_MAX];
	value_text(r, value, text);
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

static int64_t size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

/* The unit in which the smallest value can be read, or a larger one where it would make the largest unwieldy. */
static void choose_unit(struct report *r)
{
	if (strcmp(r->unit, "minimum") || !r->nodes_nr)
		return;
	int64_t least = 0, most = r->total;
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		int64_t value = size_of(n->flat ? n->flat : n->cum);
		if (value && (!least || value < least))
			least = value;
	}
	if (!least)
		least = most;
	if (r->o.divide_by != 1) {
		least = (int64_t)((double)least / r->o.divide_by);
		most = (int64_t)((double)most / r->o.divide_by);
	}
	const char *small = pprof_scale(least, r->sample_unit, "minimum").unit;
	const char *large = pprof_scale(most, r->sample_unit, "minimum").unit;
	if (strcmp(small, large) && least * 100 < most)
		small = pprof_scale(100 * least, r->sample_unit, "minimum").unit;
	r->unit = *small ? small : r->sample_unit;
}

/* ---- what is said above a report ---- */

static void out_time(const struct report *r)
{
	char text[64];
	struct tm tm;
	time_t seconds = (time_t)(r->p->start_ns / 1000000000);
	if (!r->p->origin.events_are_values || !r->p->start_ns || !localtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%b %-d, %Y at %-I:%M%P (%Z)", &tm);
	out_f(r->out, "Time: %s\n", text);
}

static void out_duration(const struct report *r)
{
	char duration[PPROF_LABEL_MAX], total[PPROF_LABEL_MAX], ratio[PPROF_LABEL_MAX];
	if (!r->p->duration_ns)
		return;
	pprof_label((int64_t)r->p->duration_ns, "nanoseconds", "auto", duration);
	value_text(r, r->total, total);
	struct scaled_value ns = pprof_scale(r->total, r->sample_unit, "nanoseconds");
	out_f(r->out, "Duration: %s, Total samples = %s ", duration, total);
	if (!strcmp(ns.unit, "ns") && ns.value != 0) {
		pprof_percentage((int64_t)ns.value, (int64_t)r->p->duration_ns, ratio);
		out_f(r->out, "(%s)", ratio);
	}
	out_ch(r->out, '\n');
}

static void out_profile_labels(const struct report *r)
{
	const struct profile *p = r->p;
	if (p->mappings.len && p->mappings.data[0].name) {
		out_str(r->out, "File: ");
		out_name(r, profile_str(p, p->mappings.data[0].name));
		out_ch(r->out, '\n');
	}
	if (p->mappings.len && p->mappings.data[0].build_id) {
		out_str(r->out, "Build ID: ");
		out_name(r, profile_str(p, p->mappings.data[0].build_id));
		out_ch(r->out, '\n');
	}
	for (size_t i = 0; i < p->origin.comments.len; i++) {
		const char *comment = profile_str(p, p->origin.comments.data[i]);
		if (*comment == '#')
			continue;
		out_name(r, comment);
		out_ch(r->out, '\n');
	}
	out_str(r->out, "Type: ");
	out_name(r, profile_str(p, p->events.data[r->o.event].name));
	out_ch(r->out, '\n');
	out_time(r);
	out_duration(r);
}

static void out_filters(const struct report *r)
{
	if (!r->o.filters || !*r->o.filters)
		return;
	out_str(r->out, "Active filters:\n");
	for (const char *const *f = r->o.filters; *f; f++) {
		out_str(r->out, "   ");
		out_name(r, *f);
		out_ch(r->out, '\n');
	}
}

static void out_head(const struct report *r)
{
	char shown[PPROF_LABEL_MAX], total[PPROF_LABEL_MAX], share[PPROF_LABEL_MAX], least[PPROF_LABEL_MAX];
	int64_t flat = 0;
	if (!r->o.compact_labels)
		out_profile_labels(r);
	out_filters(r);
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		flat += r->graph->nodes.data[r->nodes[i]].flat;
	value_text(r, flat, shown);
	value_text(r, r->total, total);
	pprof_percentage(flat, r->total, share);
	out_f(r->out, "Showing nodes accounting for %s, %s of %s total\n", shown, share + strspn(share, " "), total);
	if (!r->total)
		return;
	if (r->dropped_nr) {
		value_text(r, size_of((int64_t)((double)r->total * r->o.node_fraction)), least);
		out_f(r->out, "Dropped %u node%s (cum <= %s)\n", r->dropped_nr, r->dropped_nr == 1 ? "" : "s", least);
	}
	if (r->nodes_nr && r->nodes_nr < r->all_nr)
		out_f(r->out, "Showing top %u nodes out of %u\n", r->nodes_nr, r->all_nr);
}

/* ---- the graph, without what is too small to matter ---- */

static void sort_nodes(struct report *r)
{
	free(r->nodes);
	r->nodes = callgraph_sort(r->graph, r->o.sort_cum ? CALLGRAPH_BY_CUM : CALLGRAPH_BY_FLAT, &r->nodes_nr);
}

static void keep_only_sorted(struct report *r, uint32_t nr)
{
	for (size_t i = 0; i < r->graph->nodes.len; i++)
		r->graph->nodes.data[i].kept = false;
	for (uint32_t i = 0; i < nr; i++)
		r->graph->nodes.data[r->nodes[i]].kept = true;
	callgraph_recount(r->graph);
}

static void drop_rare_nodes(struct report *r)
{
	int64_t sum = 0;
	sort_nodes(r);
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		sum += r->graph->nodes.data[r->nodes[i]].flat;
	int64_t cutoff = size_of((int64_t)((double)sum * r->o.node_fraction));
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		if (size_of(r->graph->nodes.data[r->nodes[i]].cum) >= cutoff)
			r->nodes[kept++] = r->nodes[i];
	r->dropped_nr = r->nodes_nr - kept;
	r->all_nr = kept;
	/* among fewer nodes, more of the value has no node: the order may change */
	keep_only_sorted(r, kept);
	sort_nodes(r);
	int64_t edge_cutoff = size_of((int64_t)((double)sum * r->o.edge_fraction));
	if (r->o.node_count && r->nodes_nr > r->o.node_count) {
		keep_only_sorted(r, r->o.node_count);
		sort_nodes(r);
	}
	if (r->o.report != PPROF_TOP)
		callgraph_sort_edges(r->graph);
	for (size_t i = 0; i < r->graph->edges.len; i++)
		r->graph->edges.data[i].dropped = size_of(r->graph->edges.data[i].weight) < edge_cutoff;
}

static void make_graph(struct report *r)
{
	r->graph = callgraph_create(r->p, (struct callgraph_options){
		.by = r->o.by,
		.event = r->o.event,
		.no_inlines = r->o.no_inlines,
		.drop_negative = r->o.drop_negative,
	});
	r->total = r->o.total ? r->o.total : r->graph->total;
	drop_rare_nodes(r);
	if (r->o.report == PPROF_TOP || r->o.report == PPROF_TREE || r->o.report == PPROF_PEEK)
		choose_unit(r);
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
		out_value(r, e->weight, 50);
		out_ch(r->out, ' ');
		out_share(r, e->weight, n->cum);
		out_str(r->out, " |   ");
		out_name(r, callgraph_text(g, callers ? e->from : e->to));
		out_str(r->out, e->inlined ? " (inline)\n" : "\n");
	}
}

static struct strobe_error *out_tree(const struct report *r)
{
	int64_t sum = 0;
	uint32_t matched = 0;
	regex_t re;
	if (r->o.peek && regcomp(&re, r->o.peek, REG_EXTENDED | REG_NOSUB))
		return error_create(ERROR_USAGE, "'%s' is no regular expression", r->o.peek);
	out_str(r->out, TREE_SEPARATOR TREE_LEGEND);
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		const char *name = callgraph_text(r->graph, r->nodes[i]);
		if (r->o.peek && regexec(&re, name, 0, NULL, 0))
			continue;
		matched++;
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
	if (!r->o.peek)
		return NULL;
	regfree(&re);
	return matched ? NULL : error_create(ERROR_NOT_FOUND, "nothing matches '%s'", r->o.peek);
}

/* ---- traces ---- */

#define TRACE_SEPARATOR "-----------+-------------------------------------------------------\n"

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Texts first, then numbers, each sorted by what is printed. */
static void out_labels(const struct report *r, labels_id labels, bool texts)
{
	const struct profile *p = r->p;
	VEC(char *) lines = {};
	for (size_t i = 0; i < p->columns.len && labels != PROFILE_NONE; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		uint64_t value = profile_label_values(p, labels)[i];
		if ((c->type == COLUMN_STRING) != texts || !value || c->type == COLUMN_FRAME || c->type == COLUMN_BYTES)
			continue;
		char number[PPROF_LABEL_MAX];
		const char *unit = profile_str(p, c->unit), *name = profile_str(p, c->name);
		/* a number of no unit whose key is "bytes" counts bytes, and another is what its key says */
		pprof_label((int64_t)value, *unit ? unit : name, "auto", number);
		vec_push(&lines, xasprintf("%10s:  %s", name, texts ? profile_str(p, (str_id)value) : number));
	}
	if (lines.len > 1)
		qsort(lines.data, lines.len, sizeof(char *), compare_texts);
	for (size_t i = 0; i < lines.len; i++) {
		out_name(r, lines.data[i]);
		out_ch(r->out, '\n');
		free(lines.data[i]);
	}
	vec_deinit(&lines);
}

/* What stands in a trace for each node, made once: blanks and the name. */
struct trace_lines {
	struct out text;
	size_t *starts; /* by node; one more at the end */
};

#define TRACE_INDENT 13

static void trace_lines_init(struct trace_lines *t, const struct report *r)
{
	size_t nr = r->graph->nodes.len;
	t->starts = xcalloc(nr + 1, sizeof(*t->starts));
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

static void out_stack(const struct report *r, const struct trace_lines *lines, stack_id stack, int64_t value)
{
	const struct profile *p = r->p;
	size_t all;
	const char *text = out_mem(&lines->text, &all);
	bool is_first = true;
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller, is_first = false) {
		frame_id frame = p->stacks.data[stack].frame;
		uint32_t node = r->graph->frame_nodes[frame];
		if (node == PROFILE_NONE)
			continue;
		size_t from = lines->starts[node], until = lines->starts[node + 1];
		if (is_first) {
			out_value(r, value, 10);
			from += 10;
		}
		bool is_inlined = p->frames.data[frame].flags & FRAME_INLINED;
		out_write(r->out, text + from, until - from - is_inlined);
		if (is_inlined)
			out_str(r->out, " (inline)\n");
	}
}

/* One trace for each stack and set of labels: rows that differ in nothing else are one. */
static void out_traces(const struct report *r)
{
	struct trace_lines lines;
	trace_lines_init(&lines, r);
	out_profile_labels(r);
	for (size_t i = 0; i < r->p->rows.len; i++) {
		const struct profile_row *row = &r->p->rows.data[i];
		if (row->event != r->o.event || row->stack == PROFILE_NONE)
			continue;
		out_str(r->out, TRACE_SEPARATOR);
		out_labels(r, row->labels, true);
		out_labels(r, row->labels, false);
		out_stack(r, &lines, row->stack, (int64_t)row->value);
	}
	out_str(r->out, TRACE_SEPARATOR);
	trace_lines_deinit(&lines);
}

/* ---- tags ---- */

struct tag {
	char *text;
	int64_t value;
};

static int compare_tags(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return strcmp(x->text, y->text);
}

static char *tag_text(const struct report *r, const struct profile_label_column *c, uint64_t value)
{
	char number[PPROF_LABEL_MAX];
	if (c->type == COLUMN_STRING)
		return xstrdup(profile_str(r->p, (str_id)value));
	const char *unit = profile_str(r->p, c->unit);
	pprof_label((int64_t)value, *unit ? unit : profile_str(r->p, c->name), r->unit, number);
	return xstrdup(number);
}

static void out_tag_column(const struct report *r, size_t column)
{
	const struct profile *p = r->p;
	const struct profile_label_column *c = &p->columns.data[column];
	struct strtab texts;
	VEC(struct tag) tags = {};
	int64_t sum = 0;
	strtab_init(&texts);
	vec_push(&tags, ((struct tag){}));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		uint64_t value = row->labels == PROFILE_NONE ? 0 : profile_label_values(p, row->labels)[column];
		if (row->event != r->o.event || !value)
			continue;
		char *text = tag_text(r, c, value);
		str_id id = strtab_add(&texts, text);
		if (id == tags.len)
			vec_push(&tags, ((struct tag){ .text = text }));
		else
			free(text);
		tags.data[id].value += (int64_t)row->value;
		sum += (int64_t)row->value;
	}
	if (tags.len > 1) {
		qsort(tags.data + 1, tags.len - 1, sizeof(struct tag), compare_tags);
		out_text(r->out, profile_str(p, c->name), strlen(profile_str(p, c->name)));
		out_str(r->out, ": Total ");
		out_value(r, sum, 0);
		out_str(r->out, " of ");
		out_value(r, r->total, 0);
		out_str(r->out, " (");
		out_share(r, sum, r->total);
		out_str(r->out, ")\n");
	}
	for (size_t i = 1; i < tags.len; i++) {
		out_value(r, tags.data[i].value, 12);
		out_str(r->out, " (");
		out_share(r, tags.data[i].value, r->total);
		out_str(r->out, "): ");
		out_name(r, tags.data[i].text);
		out_ch(r->out, '\n');
		free(tags.data[i].text);
	}
	if (tags.len > 1)
		out_ch(r->out, '\n');
	vec_deinit(&tags);
	strtab_deinit(&texts);
}

static struct strobe_error *write_report(struct report *r)
{
	switch (r->o.report) {
	case PPROF_TOP:
		out_head(r);
		out_top(r);
		break;
	case PPROF_TREE:
	case PPROF_PEEK:
		out_head(r);
		return out_tree(r);
	case PPROF_TRACES:
		out_traces(r);
		break;
	case PPROF_TAGS:
		for (size_t i = 0; i < r->p->columns.len; i++)
			out_tag_column(r, i);
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

struct strobe_error *view_pprof_text(const struct profile *p, const struct pprof_text_options *options, struct out *out)
{
	struct report r = { .p = p, .o = *options, .out = out, .unit = options->unit };
	if (options->event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", options->event);
	r.sample_unit = profile_str(p, p->events.data[options->event].unit);
	make_graph(&r);
	struct strobe_error *err = write_report(&r);
	callgraph_destroy(r.graph);
	free(r.nodes);
	return err;
}
