/* Makes the parts of a report from a profile: events side by side, with rows that are grouped, filtered and sorted. */
#include "base/strbuf.h"
#include "base/text.h"
#include "report/query.h"

bool report_joins_all(const struct report_grouping *g, const struct report_event *events, uint32_t nr)
{
	bool any = false;
	for (uint32_t i = 0; i < nr; i++)
		any |= events[i].group_members > 1 || events[i].is_left_out;
	return g->group_set && g->group && !any;
}

static bool is_member(const struct report_query *q, uint32_t event, uint32_t leader)
{
	if (q->events[event].is_left_out)
		return false;
	if (q->is_live && event != leader && q->events[event].is_dummy)
		return false;
	if (report_joins_all(q->grouping, q->events, q->events_nr))
		return leader == 0;
	return q->grouping->group ? q->events[event].leader == leader : event == leader;
}

const char *report_part_name(struct arena *arena, const struct report_event *all, const uint32_t *events, uint32_t n)
{
	const struct report_event *leader = &all[events[0]];
	bool is_recorded = leader->group_members > 1;
	_cleanup_strbuf_ struct strbuf names = {};
	if (n == 1)
		return leader->name;
	if (is_recorded)
		strbuf_addf(&names, "%s { ", leader->group_name && *leader->group_name ? leader->group_name : "anon group");
	for (uint32_t i = 0; i < n; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", all[events[i]].name);
	strbuf_addstr(&names, is_recorded ? " }" : "");
	return arena_strdup(arena, strbuf_str(&names));
}

static void limit_rows(struct hist *h, const struct report_limits *limits)
{
	uint32_t kept = 0;
	if (!limits->by_samples && !limits->rows)
		return;
	for (uint32_t i = 0; i < h->order_nr; i++) {
		const struct hist_stat *s = hist_stats(h, &h->entries.data[h->order[i]]);
		uint64_t samples = h->options.children ? s->children_samples : s->samples;
		bool keeps = (!limits->by_samples || samples > limits->samples_above) && (!limits->rows || kept < limits->rows);
		if (keeps)
			h->order[kept++] = h->order[i];
	}
	h->order_nr = kept;
}

/* The events of a part; sort_by: the index of the event to sort rows by. */
struct part_events {
	uint32_t *events, nr;
	uint32_t sort_by;
};

static struct hist *make_hist(struct report_query *q, const struct profile *p, const struct part_events *e)
{
	const struct report_grouping *g = q->grouping;
	struct hist *h = hist_create(p, (struct hist_options){
		.events = e->events,
		.events_nr = e->nr,
		.keys = q->keys,
		.keys_nr = q->keys_nr,
		.children = q->children,
		.callee_first = g->chains.callee_first,
		.callers_above = g->chains.mode != CALLTREE_NONE,
		.stack_parents = q->parents,
		.branches = q->branch_mode,
		.row_hidden = report_row_hidden,
		.row_left_out = q->filter->parallelism ? report_row_left_out : NULL,
		.ctx = q,
		.symbol_filter = q->filter->symbol_filter,
		.long_names = q->long_names,
		.nanoseconds = g->nanoseconds,
		.full_source_path = g->full_source_path,
		.divides_accesses = report_divides_accesses(q),
		.time_quantum_ns = g->time_quantum_ns,
		.thread_name = q->thread_name,
		.thread_ctx = q->thread_ctx,
	});
	hist_sort(h, q->by, q->by_nr, e->sort_by);
	limit_rows(h, &q->limits);
	return h;
}

static void add_part(struct report_query *q, const struct profile *profile, struct report_built *b, const struct part_events *e)
{
	uint64_t samples = 0;
	for (uint32_t i = 0; i < e->nr; i++)
		samples += profile->events.data[e->events[i]].samples;
	const struct report_event *leader = &q->events[e->events[0]];
	/* An event without samples may have some at the next refresh. */
	if (!samples && (q->is_live ? leader->is_dummy : q->grouping->skip_empty))
		return;
	struct report_part *p = &b->parts[b->report.parts_nr++];
	*p = (struct report_part){
		.hist = make_hist(q, profile, e),
		.event_name = report_part_name(&q->scratch, q->events, e->events, e->nr),
		.is_group = e->nr > 1,
		.has_chains = leader->has_chains,
	};
	for (uint32_t j = 0; j < e->nr; j++) {
		const struct hist_total *t = &p->hist->totals[j];
		p->samples += q->grouping->relative ? t->shown_samples : t->samples;
		p->period += q->grouping->relative ? t->shown_period : t->period;
	}
}

/* In the order of the group, its leader first; with skip_empty, without events that have no samples. */
static struct part_events part_events(struct report_query *q, const struct profile *p, uint32_t leader)
{
	uint32_t n = (uint32_t)p->events.len, members = 1;
	struct part_events ret = { .events = arena_new_array(&q->scratch, uint32_t, n + 1) };
	ret.events[ret.nr++] = leader;
	for (uint32_t i = 0; i < n; i++) {
		if (i == leader || !is_member(q, i, leader))
			continue;
		bool sorts = members++ == q->grouping->group_sort_index;
		if (!q->is_live && q->grouping->skip_empty && !p->events.data[i].samples)
			continue;
		if (sorts)
			ret.sort_by = ret.nr;
		ret.events[ret.nr++] = i;
	}
	return ret;
}

static void add_parts(struct report_query *q, const struct profile *p, struct report_built *b)
{
	uint32_t n = (uint32_t)p->events.len;
	b->parts = arena_new_array(&q->scratch, struct report_part, n + 1);
	for (uint32_t leader = 0; leader < n; leader++) {
		if (!is_member(q, leader, leader))
			continue;
		struct part_events events = part_events(q, p, leader);
		add_part(q, p, b, &events);
	}
	b->report.parts = b->parts;
}

void report_build_parts(struct report_query *q, const struct profile *p, struct report_built *b)
{
	const struct report_grouping *g = q->grouping;
	b->report = (struct report){
		.chains = g->chains,
		.percent_limit = g->percent_limit,
		.relative = g->relative,
		.show_chains = g->chains.mode != CALLTREE_NONE && q->has_chains && !q->branch_mode,
		.hierarchy = g->hierarchy,
		.mem_mode = q->mem_mode,
		.sort_order = q->sort_order,
		.symbol_first = !g->fields && g->sort && text_has_prefix(g->sort, "sym"),
		.fields = q->fields,
		.fields_nr = q->fields_nr,
	};
	add_parts(q, p, b);
}

void report_parts_deinit(struct report_query *q, struct report_built *b)
{
	for (uint32_t i = 0; i < b->report.parts_nr; i++)
		hist_destroy(b->parts[i].hist);
	*b = (struct report_built){};
	arena_reset(&q->scratch);
}
