#include "view/data/pprof_json.h"

#include <regex.h>

#include "base/json.h"
#include "profile/pattern.h"

static void put_value(struct json *j, const struct pprof_graph *r, const char *key, int64_t value)
{
	json_key(j, key);
	if (r->o.divide_by == 1)
		json_i64(j, value);
	else
		json_f64(j, (double)value / r->o.divide_by);
}

static void put_edges(struct json *j, const struct pprof_graph *r, const struct callgraph_node *n, bool callers)
{
	const struct callgraph *g = r->graph;
	uint32_t first = callers ? n->in_first : n->out_first, nr = callers ? n->in_nr : n->out_nr;
	json_key(j, callers ? "callers" : "callees");
	json_array(j);
	for (uint32_t i = 0; i < nr; i++) {
		const struct callgraph_edge *e = &g->edges.data[callers ? g->in.data[first + i] : g->out.data[first + i]];
		if (e->dropped)
			continue;
		json_object(j);
		json_pair_str(j, "name", callgraph_text(g, callers ? e->from : e->to));
		put_value(j, r, "value", e->sum);
		json_key(j, "inlined");
		json_bool(j, e->inlined);
		json_end(j);
	}
	json_end(j);
}

static void put_node(struct json *j, const struct pprof_graph *r, uint32_t node, bool with_edges)
{
	const struct callgraph_node *n = &r->graph->nodes.data[node];
	json_object(j);
	json_pair_str(j, "name", callgraph_text(r->graph, node));
	put_value(j, r, "flat", n->flat);
	put_value(j, r, "cum", n->cum);
	if (with_edges) {
		put_edges(j, r, n, true);
		put_edges(j, r, n, false);
	}
	json_end(j);
}

static void put_facts(struct json *j, const struct pprof_graph *r, const struct pprof_json_options *o)
{
	json_format(j, DATA_PPROF_FORMAT, DATA_PPROF_VERSION);
	json_pair_str(j, "report", o->report);
	json_pair_str(j, "type", profile_str(r->p, r->p->events.data[r->o.event].name));
	json_pair_str(j, "unit", r->sample_unit);
	put_value(j, r, "total", r->total);
	json_key(j, "filters");
	json_array(j);
	for (const char *const *f = r->o.filters; f && *f; f++)
		json_str(j, *f);
	json_end(j);
	json_pair_u64(j, "nodes_nr", r->all_nr);
}

/* Returns the number of nodes written. */
static uint32_t put_report(struct out *out, const struct pprof_graph *r, const struct pprof_json_options *o, const regex_t *only)
{
	struct json j;
	uint32_t written = 0;
	json_init(&j, out, false);
	json_object(&j);
	put_facts(&j, r, o);
	json_key(&j, "nodes");
	json_array(&j);
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		if (only && regexec(only, callgraph_text(r->graph, r->nodes[i]), 0, NULL, 0))
			continue;
		put_node(&j, r, r->nodes[i], o->with_edges);
		written++;
	}
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
	return written;
}

struct strobe_error *data_pprof_json(const struct profile *p, const struct pprof_json_options *o, struct out *out)
{
	struct pprof_graph r;
	struct pprof_graph_options graph = o->graph;
	struct out text;
	regex_t only;
	if (graph.event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", graph.event);
	if (o->only)
		TRY(pattern_compile(o->only, &only));
	graph.unsorted_edges = graph.no_edges = !o->with_edges;
	pprof_graph_init(&r, p, &graph);
	out_init_mem(&text);
	uint32_t written = put_report(&text, &r, o, o->only ? &only : NULL);
	size_t bytes;
	const char *document = out_mem(&text, &bytes);
	if (written || !o->only)
		out_write(out, document, bytes);
	error_destroy(out_close(&text));
	pprof_graph_deinit(&r);
	if (o->only)
		regfree(&only);
	return written || !o->only ? NULL : error_create(ERROR_NOT_FOUND, "no matches found for regexp: %s", o->only);
}
