#include "counter/listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static struct counts_noise noise_of(const struct tally_cell *c, double scale)
{
	struct counts_noise n = { .present = c->value.n > 1 };
	if (!n.present)
		return n;
	double half = stats_half_width(&c->value, 0.95);
	n.percent = c->value.mean != 0 ? 100.0 * stats_error(&c->value) / c->value.mean : 0;
	n.low = (c->value.mean - half) * scale;
	n.high = (c->value.mean + half) * scale;
	n.min = c->value.min * scale;
	n.max = c->value.max * scale;
	return n;
}

static void add_row(struct counts *ret, const struct tally *t, struct listing_options o, uint32_t event, uint32_t place)
{
	const struct counter_event *e = &t->set->events.data[event];
	const struct tally_cell *c = tally_cell(t, event, place);
	if (!c->used || (!e->supported && e->event->may_lack && !o.with_lacking))
		return;
	struct counts_row row = {
		.place = t->places.data[place],
		.event = e->name,
		.unit = e->unit,
		.cgroup = e->event->cgroup,
		.state = !e->supported ? COUNTS_NOT_SUPPORTED : c->running.mean > 0 ? COUNTS_COUNTED : COUNTS_NOT_COUNTED,
		.value = c->value.mean * e->scale,
		.is_fraction = floor(e->scale) != e->scale,
		.enabled_ns = (uint64_t)c->enabled.mean,
		.running_ns = (uint64_t)c->running.mean,
	};
	row.place.of_core = t->options.by == COUNTS_BY_CPU && (e->event->terms.set & EVENT_TERM_PERCORE) &&
			    e->event->terms.percore && !t->options.percore_threads;
	if (row.state == COUNTS_COUNTED)
		row.noise = noise_of(c, e->scale);
	else if (t->options.by == COUNTS_BY_THREAD && o.all_threads)
		return;
	double elapsed_s = ret->is_interval ? ret->interval_s : ret->elapsed.mean_s;
	if (row.state == COUNTS_COUNTED && !o.no_figures)
		figures_add(&row, t, event, place, elapsed_s);
	/* Rates are not shown as metrics. */
	if (ret->metrics_only && row.figures_nr && text_has_suffix(row.figures[0].unit, "/sec"))
		row.figures_nr = 0;
	if (strlen(row.unit) > ret->unit_width)
		ret->unit_width = (unsigned)strlen(row.unit);
	ret->has_cgroups |= row.cgroup != NULL;
	vec_push(&ret->rows, row);
}

static int compare_values(const void *pa, const void *pb)
{
	const struct counts_row *a = pa, *b = pb;
	return (a->value < b->value) - (a->value > b->value);
}

/* A core that shows a percore event is one row, not one for each of its CPUs. */
static bool is_first_of_core(const struct tally *t, uint32_t event, uint32_t place)
{
	const struct event *e = t->set->events.data[event].event;
	if (t->options.by != COUNTS_BY_CPU || t->options.percore_threads || !(e->terms.set & EVENT_TERM_PERCORE) ||
	    !e->terms.percore)
		return true;
	for (uint32_t i = 0; i < place; i++) {
		const struct counts_place *p = &t->places.data[i], *q = &t->places.data[place];
		if (p->core == q->core && p->die == q->die && p->socket == q->socket)
			return false;
	}
	return true;
}

void listing_fill(struct counts *ret, const struct tally *t, struct listing_options o)
{
	uint32_t events = (uint32_t)t->set->events.len, places = (uint32_t)t->places.len;
	/* By CPU and by thread, rows are ordered by event, then place; else by place, then event. */
	bool by_event = (t->options.by == COUNTS_BY_CPU || t->options.by == COUNTS_BY_THREAD) && !ret->metrics_only;
	uint32_t outer = by_event ? events : places, inner = by_event ? places : events;
	ret->by = t->options.by;
	vec_clear(&ret->rows);
	for (uint32_t a = 0; a < outer; a++) {
		size_t first = ret->rows.len;
		for (uint32_t b = 0; b < inner; b++) {
			uint32_t event = by_event ? a : b, place = by_event ? b : a;
			if (t->event_of_event[event] == event && is_first_of_core(t, event, place))
				add_row(ret, t, o, event, place);
		}
		if (t->options.by == COUNTS_BY_THREAD && o.all_threads && ret->rows.len > first)
			qsort(ret->rows.data + first, ret->rows.len - first, sizeof(*ret->rows.data), compare_values);
	}
}
