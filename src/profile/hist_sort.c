/* The order of a report's rows. */
#include <stdlib.h>

#include "base/mem.h"
#include "profile/hist_priv.h"

struct sorter {
	const struct hist *h;
	const struct hist_key *by;
	uint32_t by_nr, event;
	uint32_t thread; /* label column that tells threads apart, or PROFILE_NONE */
};

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* The deciding event first, then the others of the group in their order. */
static int compare_values(const struct sorter *s, const struct hist_entry *a, const struct hist_entry *b,
			  enum column_id id)
{
	const struct hist_stat *x = hist_stats(s->h, a), *y = hist_stats(s->h, b);
	int order = compare_u64_down(hist_value(&x[s->event], id), hist_value(&y[s->event], id));
	/* With children the reference asks the deciding event alone. */
	for (uint32_t j = 0; !order && id != COLUMN_OVERHEAD_CHILDREN && j < s->h->options.events_nr; j++)
		if (j != s->event)
			order = compare_u64_down(hist_value(&x[j], id), hist_value(&y[j], id));
	return order;
}

/* Callers come before what they call where both have the same share: the entry with the longer stacks below it first. */
static int compare_depth(const struct sorter *s, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist *h = s->h;
	if (hist_label(h, a, s->thread, 0) != hist_label(h, b, s->thread, 0))
		return 0;
	int order = a->max_depth > b->max_depth ? -1 : a->max_depth < b->max_depth;
	return h->options.callee_first ? -order : order;
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sorter *s = ctx;
	const struct hist *h = s->h;
	const struct hist_entry *a = &h->entries.data[*(const uint32_t *)pa], *b = &h->entries.data[*(const uint32_t *)pb];
	for (uint32_t i = 0; i < s->by_nr; i++) {
		const struct hist_key *k = &s->by[i];
		int order;
		if (k->column->from == COLUMN_FROM_VALUES) {
			order = compare_values(s, a, b, k->column->id);
			if (!order && h->options.callers_above && k->column->id == COLUMN_OVERHEAD_CHILDREN)
				order = compare_depth(s, a, b);
		} else {
			order = column_compare(h, k, a, b);
		}
		if (order)
			return order;
	}
	for (uint32_t i = 0; i < h->options.keys_nr; i++) {
		int order = column_compare_identity(h, &h->options.keys[i], a, b);
		if (order)
			return order;
	}
	return a < b ? -1 : a > b;
}

void hist_sort(struct hist *h, const struct hist_key *by, uint32_t by_nr, uint32_t event)
{
	struct sorter s = { .h = h, .by = by, .by_nr = by_nr, .event = event < h->options.events_nr ? event : 0 };
	s.thread = h->thread_label;
	if (s.thread == PROFILE_NONE)
		s.thread = profile_find_column(h->profile, "comm");
	h->order = xreallocarray(h->order, h->entries.len + 1, sizeof(*h->order));
	h->order_nr = 0;
	for (uint32_t i = 0; i < h->entries.len; i++)
		if (!h->entries.data[i].hidden)
			h->order[h->order_nr++] = i;
	qsort_r(h->order, h->order_nr, sizeof(*h->order), compare, &s);
}
