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
	struct strtab objects, files, names; /* what has been named once goes by its number */
};

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

/* An address, or how far it is from the one before where that is shorter. */
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
		if (e->dropped)
			continue;
		struct callgraph_place to = callgraph_place(g, &g->nodes.data[e->to]);
		out_name(w, "cfl=", &w->files, to.file);
		out_name(w, "cfn=", &w->names, to.name);
		/* how often is not known */
		out_str(w->out, "calls=0 ");
		out_address(w, before, to.addr);
		out_f(w->out, " %u\n* * %" PRId64 "\n", to.line, whole(w, e->weight));
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
	strtab_init(&w.objects);
	strtab_init(&w.files);
	strtab_init(&w.names);
	pprof_graph_init(&w.r, p, &all);
	pprof_graph_choose_unit(&w.r);
	out_str(out, "positions: instr line\nevents: ");
	const char *event = profile_str(p, p->events.data[options->event].name);
	out_text(out, event, strlen(event));
	out_f(out, "(%s)\n", w.r.unit);
	out_nodes(&w);
	pprof_graph_deinit(&w.r);
	strtab_deinit(&w.objects);
	strtab_deinit(&w.files);
	strtab_deinit(&w.names);
	return NULL;
}
