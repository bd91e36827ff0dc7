#include "diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- inputs ---- */

static const char *side_name(struct diff *d, const struct diff_source *s)
{
	return s->nr == 1 ? s->paths[0] : arena_printf(&d->arena, "%u files: %s ...", s->nr, s->paths[0]);
}

/* Selects the value that the first profile is compared by in all other profiles that have it. */
static void prefer_event(struct report_request *request, const struct diff_input *first)
{
	const struct report *r = &first->built.report;
	if (first->report.shown_events && r->parts_nr == 1)
		request->selection.preferred_event = r->parts->event_name;
}

static struct strobe_error *read_side(struct diff *d, const struct session_host *host, uint32_t side)
{
	const struct diff_source *s = &d->settings.sources[side];
	struct report_request request = d->settings.request;
	if (s->times)
		request.selection.times = s->times;
	d->sides[side] = (struct diff_side){ .first = d->inputs_nr, .nr = s->nr };
	d->side_names[side] = side_name(d, s);
	for (uint32_t i = 0; i < s->nr; i++) {
		TRY(diff_input_read(&d->inputs[d->inputs_nr++], host, &request, s->paths[i]));
		prefer_event(&request, &d->inputs[0]);
	}
	prefer_event(&d->settings.request, &d->inputs[0]);
	return NULL;
}

static struct strobe_error *read_inputs(struct diff *d, const struct session_host *host)
{
	uint32_t nr = 0;
	for (uint32_t i = 0; i < d->settings.sources_nr; i++)
		nr += d->settings.sources[i].nr;
	if (nr > DIFF_INPUTS_MAX)
		return error_create(ERROR_USAGE, "%u files: at most %d can be compared", nr, DIFF_INPUTS_MAX);
	d->inputs = arena_new_array(&d->arena, struct diff_input, nr);
	for (uint32_t side = 0; side < d->settings.sources_nr; side++)
		TRY(read_side(d, host, side));
	return NULL;
}

/* ---- events ---- */

/* Bytes between samples of a heap profile, the maximum of all inputs; 1: each allocation was counted; 0: not a heap profile. */
static int64_t heap_rate(const struct diff *d)
{
	int64_t rate = 0;
	for (uint32_t i = 0; i < d->inputs_nr; i++) {
		const struct profile *p = d->inputs[i].report.profile;
		const struct profile_origin *o = &p->origin;
		if (!o->events_are_values || o->period < 1 || strcmp(profile_str(p, o->period_type), "space"))
			return 0;
		rate = o->period > rate ? o->period : rate;
	}
	return rate;
}

/*
 * The values of a heap profile are estimates of all allocations: a sample of a small block represents as many bytes as the sampling
 * distance, one of a larger block fewer. The number of objects it represents depends on its size, which rows do not have.
 */
static struct diff_measure measure_of(const struct diff *d, const struct report_part *part)
{
	int64_t rate = heap_rate(d);
	bool is_bytes = text_has_suffix(part->event_name, "space");
	return (struct diff_measure){
		.relative = d->settings.request.grouping.relative,
		.normalize = d->settings.normalize,
		.only_values = d->settings.is_plain,
		.has_unit = rate > 0,
		.unit = rate == 1 ? 0 : is_bytes ? (double)rate : INFINITY,
	};
}

/* False if no other input has it. */
static bool join_event(struct diff *d, const struct report_part *part)
{
	struct diff_joined *e = &d->events[d->events_nr];
	bool is_shared = false;
	e->parts = arena_new_array(&d->arena, const struct report_part *, d->inputs_nr);
	e->parts[0] = part;
	for (uint32_t i = 1; i < d->inputs_nr; i++) {
		e->parts[i] = diff_input_part(&d->inputs[i], &d->inputs[0], part);
		is_shared |= e->parts[i] && i >= d->sides[1].first;
	}
	if (!is_shared)
		return false;
	diff_rows_match(&e->rows, e->parts, d->inputs_nr);
	diff_changes_compute(&e->changes, &e->rows, d->sides, d->settings.sources_nr, measure_of(d, part));
	d->events_nr++;
	return true;
}

static struct strobe_error *join_events(struct diff *d)
{
	const struct report *base = &d->inputs[0].built.report;
	const char *left_out = NULL;
	d->events = arena_new_array(&d->arena, struct diff_joined, base->parts_nr + 1);
	for (uint32_t i = 0; i < base->parts_nr; i++)
		if (!join_event(d, &base->parts[i]) && !left_out)
			left_out = base->parts[i].event_name;
	if (d->events_nr)
		return NULL;
	if (!base->parts_nr)
		return error_create(ERROR_USAGE, "%s has no samples to compare with", d->side_names[0]);
	return error_create(ERROR_USAGE, "no event in common: %s has samples of %s, %s does not", d->side_names[0], left_out,
			    d->side_names[1]);
}

struct strobe_error *diff_run(struct diff *d, const struct session_host *host, const struct diff_settings *settings)
{
	*d = (struct diff){ .settings = *settings };
	arena_init(&d->arena);
	d->sides = arena_new_array(&d->arena, struct diff_side, settings->sources_nr);
	d->side_names = arena_new_array(&d->arena, const char *, settings->sources_nr);
	TRY(read_inputs(d, host));
	return join_events(d);
}

void diff_deinit(struct diff *d)
{
	for (uint32_t i = 0; i < d->events_nr; i++) {
		diff_changes_deinit(&d->events[i].changes);
		diff_rows_deinit(&d->events[i].rows);
	}
	for (uint32_t i = 0; i < d->inputs_nr; i++)
		diff_input_close(&d->inputs[i]);
	arena_deinit(&d->arena);
}

/* ---- results ---- */

struct diff_event diff_event_at(const struct diff *d, uint32_t i)
{
	const struct report *base = &d->inputs[0].built.report;
	return (struct diff_event){
		.name = d->events[i].parts[0]->event_name,
		.rows = &d->events[i].rows,
		.changes = &d->events[i].changes,
		.fields = base->fields,
		.fields_nr = base->fields_nr,
		.side_names = d->side_names,
	};
}

uint32_t diff_tables_nr(const struct diff *d)
{
	return d->settings.layout.for_data ? 1 : d->events_nr;
}

void diff_table(const struct diff *d, uint32_t i, struct table *ret)
{
	const struct diff_layout *l = &d->settings.layout;
	uint32_t last = l->for_data ? d->events_nr - 1 : i;
	struct diff_event e = diff_event_at(d, i);
	diff_table_init(ret, l, &e);
	if (!l->for_data && i + 1 < d->events_nr)
		ret->layout.blank_lines = 1;
	for (; i <= last; i++) {
		e = diff_event_at(d, i);
		diff_table_fill(ret, l, &e);
	}
}

static double growth_of(const struct diff_changes *c, uint32_t row, uint32_t side)
{
	double base = (double)c->totals[0].period / c->sides[0].nr;
	double before = (double)diff_value_at(c, row, 0)->period / c->sides[0].nr;
	double after = (double)diff_value_at(c, row, side)->period / c->sides[side].nr;
	return base > 0 ? 100 * (after - before) / base : 0;
}

struct diff_growth diff_worst_growth(struct diff *d)
{
	struct diff_growth worst = {};
	for (uint32_t i = 0; i < d->events_nr; i++) {
		const struct diff_event e = diff_event_at(d, i);
		for (uint32_t row = 0; row < e.rows->nr; row++)
			for (uint32_t side = 1; side < e.changes->sides_nr; side++) {
				double growth = growth_of(e.changes, row, side);
				if (!diff_change_at(e.changes, row, side)->is_real || growth <= worst.percent)
					continue;
				worst = (struct diff_growth){ growth, diff_row_name(&e, row, &d->arena), side };
			}
	}
	return worst;
}
