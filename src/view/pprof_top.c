#include "view/pprof_top.h"

static str_id copy(struct profile *to, const char *s)
{
	return strtab_add(&to->strings, s);
}

static stack_id make_stack(struct profile *to, const struct pprof_graph *r, const struct callgraph_node *n)
{
	struct callgraph_place at = callgraph_place(r->graph, n);
	const struct profile_frame *from = &r->p->frames.data[n->frame];
	struct profile_frame frame = {
		.mapping = PROFILE_NONE,
		.function = PROFILE_NONE,
		.addr = at.addr,
		.ip = at.addr,
		.line = at.line,
		.space = SPACE_USER,
	};
	if (from->function != PROFILE_NONE) {
		const struct profile_function *f = &r->p->functions.data[from->function];
		struct profile_function function = {
			.mapping = PROFILE_NONE,
			.name = copy(to, at.name),
			.system_name = copy(to, *at.name ? profile_str(r->p, f->system_name) : ""),
			.file = copy(to, at.file),
		};
		frame.function = profile_function(to, &function);
	}
	return profile_stack(to, PROFILE_NONE, profile_frame(to, &frame));
}

static void add_rows(struct profile *to, const struct pprof_graph *r)
{
	uint32_t cum = profile_event(to, "cum", r->unit), flat = profile_event(to, "flat", r->unit);
	labels_id labels = profile_labels(to, NULL);
	for (uint32_t i = 0; i < r->nodes_nr; i++) {
		const struct callgraph_node *n = &r->graph->nodes.data[r->nodes[i]];
		stack_id stack = make_stack(to, r, n);
		int64_t values[] = {
			[0] = (int64_t)pprof_scale(n->cum, r->sample_unit, r->unit).value,
			[1] = (int64_t)pprof_scale(n->flat, r->sample_unit, r->unit).value,
		};
		profile_add(to, stack, labels, cum, 1, (uint64_t)values[0], 0);
		profile_add(to, stack, labels, flat, 1, (uint64_t)values[1], 0);
	}
}

struct profile *pprof_top_profile(const struct profile *p, const struct pprof_graph_options *options)
{
	struct pprof_graph r;
	struct profile *to = profile_create();
	pprof_graph_init(&r, p, options);
	pprof_graph_choose_unit(&r);
	to->origin.events_are_values = true;
	to->origin.period_type = copy(to, profile_str(p, p->origin.period_type));
	to->origin.period_unit = copy(to, profile_str(p, p->origin.period_unit));
	to->origin.period = p->origin.period;
	to->start_ns = p->start_ns;
	to->duration_ns = p->duration_ns;
	add_rows(to, &r);
	pprof_graph_deinit(&r);
	return to;
}
