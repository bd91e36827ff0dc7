/* A query of a profile: its lifetime, and the IDs that it looks up in each profile. */
#include "report/query.h"

void report_query_init(struct report_query *q, const struct report_grouping *grouping, const struct report_filter *filter)
{
	*q = (struct report_query){ .grouping = grouping, .filter = filter };
	arena_init(&q->arena);
	arena_init(&q->scratch);
}

void report_query_deinit(struct report_query *q)
{
	arena_deinit(&q->arena);
	arena_deinit(&q->scratch);
}

static void bind(struct hist_key *keys, uint32_t n, const struct profile *p)
{
	for (uint32_t i = 0; i < n; i++)
		hist_key_bind(&keys[i], p);
}

struct strobe_error *report_query_bind(struct report_query *q, const struct profile *p)
{
	bind(q->keys, q->keys_nr, p);
	bind(q->by, q->by_nr, p);
	bind(q->fields, q->fields_nr, p);
	report_filters_bind(q->filters, p);
	return report_find_parents(q, p, &q->parents);
}
