/* Source of the format: "Callgrind Format Specification", valgrind.org; positions are addresses and lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "view/text/pprof.h"

struct writer {
	struct pprof_graph r;
	struct out *out;
	struct strtab objects, files, names; /* a name that was written once is referred to by number */
	struct strtab shared, functions; /* names in a file; functions: made unique if several have one name */
	VEC(uint32_t) functions_of;  /* by id of shared: how many */
	VEC(uint32_t) number_of;     /* by id of functions: which of them */
};

/*
 * Readers of the format treat the same name and file as one function. In a tree there is one for each path, and one for each
 * object: these get a number after the name.
 */
static void number_functions(struct writer *w)
{
	_cleanup_strbuf_ struct strbuf key = {};
	vec_push(&w->functions_of, 0);
	vec_push(&w->number_of, 0);
	for (uint32_t i = 0; i < w->r.nodes_nr; i++) {
		const struct callgraph_node *n = &w->r.graph->nodes.data[w->r.nodes[i]];
		struct callgraph_place at = callgraph_place(w->r.graph, n);
		strbuf_reset(&key);
		strbuf_addf(&key, "%s\n%s", at.file, at.name);
		str_id name = strtab_add(&w->shared, strbuf_str(&key));
		strbuf_addf(&key, "\n%s\n%u", at.object, n->parent);
		str_id function = strtab_add(&w->functions, strbuf_str(&key));
		if (name == w->functions_of.len)
			vec_push(&w->functions_of, 0);
		if (function == w->number_of.len)
			vec_push(&w->number_of, ++w->functions_of.data[name]);
	}
}

/* The name of a callee. */
static void add_callee(struct writer *w, const struct callgraph_node *n, struct strbuf *ret)
{
	struct callgraph_place at = callgraph_place(w->r.graph, n);
	strbuf_addf(ret, "%s\n%s", at.file, at.name);
	uint32_t nr = w->functions_of.data[strtab_find(&w->shared, strbuf_str(ret))];
	strbuf_addf(ret, "\n%s\n%u", at.object, n->parent);
	uint32_t number = w->number_of.data[strtab_find(&w->functions, strbuf_str(ret))];
	strbuf_reset(ret);
	strbuf_addstr(ret, at.name);
	if (nr > 1)
		strbuf_addf(ret, " [%u/%u]", number, nr);
}

static void out_name(struct writer *w, const char *key, struct strtab *known, const char *name)
{
	out_str(w->out, key);
	if (*name) {
		bool is_new = strtab_find(known, name) == IDSET_NONE;
		out_f(w->out, "(%u)", strtab_add(known, name));
		if (is_new) {
			out_ch(w->out, ' ');
			out_text(w->out, name, strlen(name));
		}
	}
	out_ch(w->out, '\n');
}

/* An address, or its difference to the previous one if that is shorter. */
static void out_address(struct writer *w, const struct callgraph_place *before, uint64_t addr)
{
	char all[32], step[32];
	snprintf(all, sizeof(all), addr ? "%#" PRIx64 : "0x%" PRIx64, addr);
	snprintf(step, sizeof(step), "%+" PRId64, before ? (int64_t)(addr - before->addr) : 0);
	if (before && before->addr == addr)
		out_ch(w->out, '*');
	else
		out_str(w->out, before && strlen(step) < strlen(all) ? step : all);
}

static int64_t whole(const struct writer *w, int64_t value)
{
	return (int64_t)pprof_scale(value, w->r.sample_unit, w->r.unit).value;
}

static void out_calls(struct writer *w, const struct callgraph_node *n, const struct callgraph_place *before)
{
	const struct callgraph *g = w->r.graph;
	for (uint32_t i = 0; i < n->out_nr; i++) {
		const struct callgraph_edge *e = &g->edges.data[g->out.data[n->out_first + i]];
		const struct callgraph_node *callee = &g->nodes.data[e->to];
		/* pprof writes calls of unlisted functions, with value 0 and without a name */
		if (e->dropped || (!e->sum && !callgraph_has_value(g, callee)))
			continue;
		struct callgraph_place to = callgraph_place(g, callee);
		_cleanup_strbuf_ struct strbuf name = {};
		add_callee(w, callee, &name);
		out_name(w, "cfl=", &w->files, to.file);
		out_name(w, "cfn=", &w->names, strbuf_str(&name));
		/* the number of calls is unknown */
		out_str(w->out, "calls=0 ");
		out_address(w, before, to.addr);
		/* with means too, as pprof has them: calls are sums */
		out_f(w->out, " %u\n* * %" PRId64 "\n", to.line, whole(w, e->sum));
	}
}

static void out_nodes(struct writer *w)
{
	struct callgraph_place before = {};
	for (uint32_t i = 0; i < w->r.nodes_nr; i++) {
		const struct callgraph_node *n = &w->r.graph->nodes.data[w->r.nodes[i]];
		struct callgraph_place at = callgraph_place(w->r.graph, n);
		if (!i || strcmp(at.object, before.object) || strcmp(at.file, before.file) || strcmp(at.name, before.name)) {
			out_ch(w->out, '\n');
			out_name(w, "ob=", &w->objects, at.object);
			out_name(w, "fl=", &w->files, at.file);
			out_name(w, "fn=", &w->names, at.name);
		}
		out_address(w, i ? &before : NULL, at.addr);
		out_f(w->out, " %u %" PRId64 "\n", at.line, whole(w, n->flat));
		out_calls(w, n, i ? &before : NULL);
		before = at;
	}
}

struct strobe_error *view_pprof_callgrind(const struct profile *p, const struct pprof_graph_options *options, struct out *out)
{
	struct writer w = { .out = out };
	struct pprof_graph_options all = *options;
	if (options->event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no values of number %u", options->event);
	all.by = CALLGRAPH_ADDRESSES;
	all.with_objects = all.whole_units = true;
	all.no_inlines = all.is_picture = false;
	all.node_count = 0;
	all.node_fraction = all.edge_fraction = 0;
	struct strtab *tables[] = { &w.objects, &w.files, &w.names, &w.shared, &w.functions };
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		strtab_init(tables[i]);
	pprof_graph_init(&w.r, p, &all);
	pprof_graph_choose_unit(&w.r);
	number_functions(&w);
	out_f(out, "positions: instr line\nevents: %s", options->mean ? "mean_" : "");
	const char *event = profile_event_name(p, options->event);
	out_text(out, event, strlen(event));
	out_f(out, "(%s)\n", w.r.unit);
	out_nodes(&w);
	pprof_graph_deinit(&w.r);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		strtab_deinit(tables[i]);
	vec_deinit(&w.functions_of);
	vec_deinit(&w.number_of);
	return NULL;
}
