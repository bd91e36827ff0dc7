#include "view/pprof_graph.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"

void pprof_graph_value(const struct pprof_graph *r, int64_t value, char ret[static PPROF_LABEL_MAX])
{
	pprof_label(r->o.divide_by == 1 ? value : (int64_t)((double)value / r->o.divide_by), r->sample_unit, r->unit, ret);
}

static void out_name(struct out *out, const char *s)
{
	out_text(out, s, strlen(s));
}

/* Units go into text, DOT and XML as they are. */
static bool is_harmless(const char *unit)
{
	for (const char *s = unit; *s; s++)
		if (*s < ' ' || *s > '~' || strchr("\"'\\<>&", *s))
			return false;
	return true;
}

/* The unit in which the smallest value is readable, or a larger one if the largest value would have too many digits. */
void pprof_graph_choose_unit(struct pprof_graph *r)
{
	if (strcmp(r->unit, "minimum") || !r->nodes_nr)
		return;
	int64_t least = 0, most = r->total;
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		int64_t value = pprof_size_of(n->flat ? n->flat : n->cum);
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
	if (strcmp(small, large) && least * 100 < most && !r->o.whole_units)
		small = pprof_scale(100 * least, r->sample_unit, "minimum").unit;
	r->unit = *small ? small : is_harmless(r->sample_unit) ? r->sample_unit : "";
}

/* ---- what is said above a report ---- */

static void out_time(const struct pprof_graph *r, struct out *out)
{
	char text[64];
	struct tm tm;
	time_t seconds = (time_t)(profile_time_of_day(r->p) / 1000000000);
	if (!seconds || !localtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm);
	out_f(out, "Time: %s\n", text);
}

static void out_duration(const struct pprof_graph *r, struct out *out)
{
	char duration[PPROF_LABEL_MAX], total[PPROF_LABEL_MAX], ratio[PPROF_LABEL_MAX];
	if (!r->p->duration_ns)
		return;
	pprof_label((int64_t)r->p->duration_ns, "nanoseconds", "auto", duration);
	pprof_graph_value(r, r->total, total);
	struct scaled_value ns = pprof_scale(r->total, r->sample_unit, "nanoseconds");
	out_f(out, "Duration: %s, Total samples = %s ", duration, total);
	if (!strcmp(ns.unit, "ns") && ns.value != 0) {
		pprof_percentage((int64_t)ns.value, (int64_t)r->p->duration_ns, ratio);
		out_f(out, "(%s)", ratio);
	}
	out_ch(out, '\n');
}

void pprof_graph_out_profile(const struct pprof_graph *r, struct out *out)
{
	const struct profile *p = r->p;
	if (p->mappings.len && p->mappings.data[0].name) {
		out_str(out, "File: ");
		out_name(out, profile_str(p, p->mappings.data[0].name));
		out_ch(out, '\n');
	}
	if (p->mappings.len && p->mappings.data[0].build_id) {
		out_str(out, "Build ID: ");
		out_name(out, profile_str(p, p->mappings.data[0].build_id));
		out_ch(out, '\n');
	}
	for (size_t i = 0; i < p->origin.comments.len; i++) {
		const char *comment = profile_str(p, p->origin.comments.data[i]);
		if (*comment == '#')
			continue;
		out_name(out, comment);
		out_ch(out, '\n');
	}
	out_str(out, r->o.mean ? "Type: mean_" : "Type: ");
	out_name(out, profile_event_name(p, r->o.event));
	out_ch(out, '\n');
	out_time(r, out);
	out_duration(r, out);
}

static void out_filters(const struct pprof_graph *r, struct out *out)
{
	if (!r->o.filters || !*r->o.filters)
		return;
	out_str(out, "Active filters:\n");
	for (const char *const *f = r->o.filters; *f; f++) {
		out_str(out, "   ");
		out_name(out, *f);
		out_ch(out, '\n');
	}
}

void pprof_graph_out_head(const struct pprof_graph *r, bool full, struct out *out)
{
	char shown[PPROF_LABEL_MAX], total[PPROF_LABEL_MAX], share[PPROF_LABEL_MAX], least[PPROF_LABEL_MAX];
	int64_t flat = 0;
	if (full || !r->o.compact_labels)
		pprof_graph_out_profile(r, out);
	out_filters(r, out);
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		flat += r->graph->nodes.data[r->nodes[i]].flat;
	pprof_graph_value(r, flat, shown);
	pprof_graph_value(r, r->total, total);
	pprof_percentage(flat, r->total, share);
	out_f(out, "Showing nodes accounting for %s, %s of %s total\n", shown, share + strspn(share, " "), total);
	if (!r->total)
		return;
	if (r->dropped_nr) {
		pprof_graph_value(r, pprof_size_of((int64_t)((double)r->total * r->o.node_fraction)), least);
		out_f(out, "Dropped %u node%s (cum <= %s)\n", r->dropped_nr, r->dropped_nr == 1 ? "" : "s", least);
	}
	if (full && r->dropped_edges) {
		pprof_graph_value(r, pprof_size_of((int64_t)((double)r->total * r->o.edge_fraction)), least);
		out_f(out, "Dropped %u edge%s (freq <= %s)\n", r->dropped_edges, r->dropped_edges == 1 ? "" : "s", least);
	}
	if (r->nodes_nr && r->nodes_nr < r->all_nr)
		out_f(out, "Showing top %u nodes out of %u\n", r->nodes_nr, r->all_nr);
}

/* ---- the graph, without what is too small to matter ---- */

static void sort_nodes(struct pprof_graph *r)
{
	free(r->nodes);
	enum callgraph_order order = r->o.is_picture ? CALLGRAPH_BY_ENTROPY : r->o.sort_cum ? CALLGRAPH_BY_CUM : CALLGRAPH_BY_FLAT;
	r->nodes = callgraph_sort(r->graph, order, &r->nodes_nr);
}

/* Keeps the first nr of the sorted nodes, whose values do not change by that. Nodes without a value, or with a forbidden negative one,
 * are not sorted: they stay only if all sorted ones do. */
static void keep_only_sorted(struct pprof_graph *r, uint32_t nr)
{
	for (size_t i = 0; i < r->graph->nodes.len && nr < r->nodes_nr; i++)
		r->graph->nodes.data[i].kept = false;
	for (uint32_t i = 0; i < nr; i++)
		r->graph->nodes.data[r->nodes[i]].kept = true;
	if (!r->o.no_edges)
		callgraph_recount(r->graph);
}

/* For each node, whether it is listed. */
static bool *listed_nodes(const struct pprof_graph *r)
{
	bool *ret = xcalloc(r->graph->nodes.len + 1, sizeof(*ret));
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		ret[r->nodes[i]] = true;
	return ret;
}

/* Whether another path leads from the start of the edge to its end. */
static bool is_redundant(const struct callgraph *g, uint32_t edge, uint32_t *queue, uint32_t *seen, uint32_t stamp)
{
	const struct callgraph_edge *e = &g->edges.data[edge];
	uint32_t nr = 0;
	queue[nr++] = e->to;
	seen[e->to] = stamp;
	for (uint32_t at = 0; at < nr; at++) {
		const struct callgraph_node *n = &g->nodes.data[queue[at]];
		for (uint32_t i = 0; i < n->in_nr; i++) {
			uint32_t other = g->in.data[n->in_first + i], from = g->edges.data[other].from;
			if (other == edge || g->edges.data[other].dropped || seen[from] == stamp)
				continue;
			if (from == e->from)
				return true;
			seen[from] = stamp;
			queue[nr++] = from;
		}
	}
	return false;
}

/* Drops edges over nodes that were left out, if another path exists, but only those lighter than any real call to their node. */
static void drop_redundant_edges(struct pprof_graph *r)
{
	struct callgraph *g = r->graph;
	uint32_t *queue = xcalloc(g->nodes.len + 1, sizeof(*queue)), *seen = xcalloc(g->nodes.len + 1, sizeof(*seen)), stamp = 0;
	for (uint32_t i = r->nodes_nr; i--;) {
		const struct callgraph_node *n = &g->nodes.data[r->nodes[i]];
		for (uint32_t j = n->in_nr; j--;) {
			uint32_t edge = g->in.data[n->in_first + j];
			struct callgraph_edge *e = &g->edges.data[edge];
			if (e->dropped)
				continue;
			if (!e->residual)
				break;
			e->dropped = is_redundant(g, edge, queue, seen, ++stamp);
		}
	}
	free(queue);
	free(seen);
}

/* The number of nodes to show, in order: in pictures the boxes of their labels count, too. */
static uint32_t choose_count(struct pprof_graph *r, int64_t cutoff)
{
	uint32_t shown = 0;
	if (!r->o.node_count)
		return r->nodes_nr;
	if (r->tags)
		pprof_tags_make(r->tags, r, cutoff);
	for (uint32_t i = 0; r->tags && i < r->nodes_nr; i++) {
		uint32_t boxes = pprof_tags_count(r->tags, r->nodes[i]);
		shown += 1 + (boxes < PPROF_BOXES_MAX ? boxes : PPROF_BOXES_MAX);
		if (shown >= r->o.node_count)
			return i + 1;
	}
	return r->o.node_count < r->nodes_nr ? r->o.node_count : r->nodes_nr;
}

static void drop_rare_edges(struct pprof_graph *r, int64_t cutoff)
{
	bool *is_listed = listed_nodes(r);
	if (!r->o.unsorted_edges)
		callgraph_sort_edges(r->graph);
	/* edges of nodes that are not listed are skipped, as in pprof */
	for (size_t i = 0; i < r->graph->edges.len; i++) {
		struct callgraph_edge *e = &r->graph->edges.data[i];
		e->dropped = is_listed[e->to] && pprof_size_of(e->weight) < cutoff;
		r->dropped_edges += e->dropped;
	}
	free(is_listed);
	if (r->o.is_picture)
		drop_redundant_edges(r);
}

static void drop_rare_nodes(struct pprof_graph *r)
{
	int64_t sum = 0;
	sort_nodes(r);
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		sum += r->graph->nodes.data[r->nodes[i]].flat;
	int64_t cutoff = pprof_size_of((int64_t)((double)sum * r->o.node_fraction));
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->nodes_nr; i++)
		if (pprof_size_of(r->graph->nodes.data[r->nodes[i]].cum) >= cutoff)
			r->nodes[kept++] = r->nodes[i];
	r->dropped_nr = r->nodes_nr - kept;
	r->all_nr = kept;
	/* with fewer nodes, more of the value has no node, and the order may change */
	keep_only_sorted(r, kept);
	sort_nodes(r);
	uint32_t count = choose_count(r, cutoff);
	bool is_cut = count < r->nodes_nr;
	if (is_cut) {
		keep_only_sorted(r, count);
		sort_nodes(r);
	}
	if (r->tags)
		pprof_tags_make(r->tags, r, cutoff);
	drop_rare_edges(r, pprof_size_of((int64_t)((double)sum * r->o.edge_fraction)));
	/* pprof counts only those left after limiting the number of nodes */
	if (r->o.node_count && !is_cut)
		r->dropped_edges = 0;
}

void pprof_graph_init(struct pprof_graph *r, const struct profile *p, const struct pprof_graph_options *options)
{
	*r = (struct pprof_graph){
		.p = p,
		.o = *options,
		.unit = options->unit,
		.sample_unit = profile_str(p, p->events.data[options->event].unit),
	};
	r->graph = callgraph_create(p, (struct callgraph_options){
		.by = options->by,
		.event = options->event,
		.no_inlines = options->no_inlines,
		.drop_negative = options->drop_negative,
		.with_objects = options->with_objects,
		.mean = options->mean,
		.samples = options->samples,
		.tree = options->tree,
	});
	if (options->is_picture && pprof_tags_has(r))
		r->tags = xcalloc(1, sizeof(*r->tags));
	drop_rare_nodes(r);
	callgraph_divide(r->graph);
	r->total = options->total ? options->total : r->graph->total;
}

void pprof_graph_deinit(struct pprof_graph *r)
{
	if (r->tags)
		pprof_tags_deinit(r->tags);
	free(r->tags);
	callgraph_destroy(r->graph);
	free(r->nodes);
}

/* ---- what pictures show ---- */

static int compare_edges(const void *a, const void *b, void *ctx)
{
	return callgraph_compare_edges(ctx, *(const uint32_t *)a, *(const uint32_t *)b);
}

uint32_t *pprof_graph_edges(const struct pprof_graph *r, uint32_t *ret_nr)
{
	struct callgraph *g = r->graph;
	uint32_t *edges = xmalloc((g->edges.len + 1) * sizeof(*edges)), nr = 0;
	bool *is_shown = listed_nodes(r);
	for (uint32_t i = 0; i < g->edges.len; i++) {
		const struct callgraph_edge *e = &g->edges.data[i];
		if (!e->dropped && is_shown[e->from] && is_shown[e->to])
			edges[nr++] = i;
	}
	free(is_shown);
	qsort_r(edges, nr, sizeof(*edges), compare_edges, g);
	*ret_nr = nr;
	return edges;
}

int64_t pprof_graph_most_flat(const struct pprof_graph *r)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		int64_t flat = pprof_size_of(r->graph->nodes.data[r->nodes[i]].flat);
		most = flat > most ? flat : most;
	}
	return most;
}

#define FONT_LEAST 8
#define FONT_GROWTH 16

int pprof_graph_font_size(const struct pprof_graph *r, uint32_t node, int64_t most_flat)
{
	int64_t flat = pprof_size_of(r->graph->nodes.data[node].flat);
	if (!flat || !most_flat || flat > most_flat)
		return FONT_LEAST;
	return FONT_LEAST + (int)ceil(FONT_GROWTH * sqrt((double)flat / (double)most_flat));
}

/*
 * Shortens names by their declaring scope: paths and versions of Go packages, Java packages, C++ namespaces. The groups of each
 * expression are kept.
 */
static const char *const shortenings[] = {
	"^[[:alnum:]_./-]*/(.+)",
	"^([a-z][[:alnum:]_]*[.])*([A-Z][[:alnum:]_$]*[.](<init>|[a-z][[:alnum:]_$]*([$][0-9]+)?))([(]|$)",
	"^([_a-zA-Z][[:alnum:]_]*::)+(_*[A-Z][[:alnum:]_]*::~?[_a-zA-Z][[:alnum:]_]*(<.*>)?)",
};
static const unsigned shortening_group[] = { 1, 2, 2 };

static void drop_version(struct strbuf *name)
{
	for (size_t i = 0; i + 3 < name->len; i++) {
		const char *at = name->data + i;
		size_t digits = strspn(at + 2, "0123456789");
		if (at[0] != '/' || at[1] != 'v' || !digits || at[2] == '0' || (digits == 1 && at[2] == '1'))
			continue;
		const char *rest = at + 2 + digits;
		if (*rest != '.' && *rest != '/')
			continue;
		size_t gone = (size_t)(rest - at);
		memmove(name->data + i, rest, name->len - i - gone + 1);
		name->len -= gone;
		return;
	}
}

static void add_short_name(struct strbuf *b, const char *full)
{
	static const char anonymous[] = "(anonymous namespace)::";
	_cleanup_strbuf_ struct strbuf name = {};
	regmatch_t groups[3];
	strbuf_addstr(&name, strncmp(full, anonymous, sizeof(anonymous) - 1) ? full : full + sizeof(anonymous) - 1);
	drop_version(&name);
	for (size_t i = 0; i < sizeof(shortenings) / sizeof(*shortenings); i++) {
		regex_t re;
		if (regcomp(&re, shortenings[i], REG_EXTENDED))
			continue;
		bool matches = !regexec(&re, strbuf_str(&name), 3, groups, 0);
		regfree(&re);
		if (matches) {
			regmatch_t m = groups[shortening_group[i]];
			strbuf_add(b, name.data + m.rm_so, (size_t)(m.rm_eo - m.rm_so));
			return;
		}
	}
	strbuf_addstr(b, strbuf_str(&name));
}

/* Breaks the line at each "::" and ".", but not in "[...]", Go's type parameters. */
static void add_name_lines(struct strbuf *b, const char *name)
{
	for (const char *s = name; *s; s++) {
		if (!strncmp(s, "[...]", 5)) {
			strbuf_addstr(b, "[\xe2\x80\xa6]");
			s += 4;
		} else if (!strncmp(s, "::", 2)) {
			strbuf_addch(b, '\n');
			s++;
		} else {
			strbuf_addch(b, *s == '.' ? '\n' : *s);
		}
	}
	strbuf_addch(b, '\n');
}

static void add_place(const struct pprof_graph *r, const struct callgraph_node *n, struct strbuf *b)
{
	_cleanup_strbuf_ struct strbuf name = {};
	struct callgraph_place at = callgraph_place(r->graph, n);
	const char *file = text_base_name(at.file);
	if (at.addr)
		strbuf_addf(b, "%016llx\n", (unsigned long long)at.addr);
	add_short_name(&name, at.name);
	if (name.len)
		add_name_lines(b, strbuf_str(&name));
	if (at.line)
		strbuf_addf(b, "%s:%u\n", file, at.line);
	else if (*file)
		strbuf_addf(b, "%s\n", file);
	else if (!*at.name && *at.object)
		strbuf_addf(b, "[%s]\n", text_base_name(at.object));
	else if (!*at.name)
		strbuf_addstr(b, "<unknown>\n");
}

static void add_share(const struct pprof_graph *r, int64_t value, struct strbuf *b)
{
	char text[PPROF_LABEL_MAX], share[PPROF_LABEL_MAX];
	pprof_graph_value(r, value, text);
	pprof_percentage(value, r->total, share);
	strbuf_addf(b, "%s (%s)", text, share + strspn(share, " "));
}

void pprof_graph_node_lines(const struct pprof_graph *r, uint32_t node, struct strbuf *ret)
{
	const struct callgraph_node *n = &r->graph->nodes.data[node];
	add_place(r, n, ret);
	if (n->flat)
		add_share(r, n->flat, ret);
	else
		strbuf_addstr(ret, "0");
	if (n->cum != n->flat) {
		strbuf_addstr(ret, n->flat ? "\nof " : " of ");
		add_share(r, n->cum, ret);
	}
}

#define COLOUR_SHIFT 0.7

/* Half-way between grey and the full colour up to a fifth of the whole, then more and more. */
void pprof_colour(double share, bool is_background, char ret[static 8])
{
	double saturation = is_background ? 0.1 : 1, value = is_background ? 0.93 : 0.7;
	share = share > 1 ? 1 : share < -1 ? -1 : share;
	if (fabs(share) < 0.2)
		saturation *= fabs(share) / 0.2;
	double strength = saturation * pow(fabs(share), 1 - COLOUR_SHIFT);
	double fades = value * (1 - strength), red = share < 0 ? fades : value, green = share < 0 ? value : fades;
	double blue = value * (1 - saturation);
	snprintf(ret, 8, "#%02x%02x%02x", (unsigned)(red * 255) & 255, (unsigned)(green * 255) & 255, (unsigned)(blue * 255) & 255);
}
