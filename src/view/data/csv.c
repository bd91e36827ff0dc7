/* A report as comma-separated values (RFC 4180, but lines end with LF). */
#include "view/cells.h"
#include "view/data/data.h"

/* "cache.L1,cache.L2": all of them, so that columns do not depend on the recording. */
static void add_kind_names(struct out *o, const struct column *c)
{
	const struct access_kinds *d = &access_kinds[c->sum->division];
	for (unsigned i = 0; i < d->nr; i++)
		out_f(o, "%s%s.%s", i ? "," : "", c->name, d->names[i]);
}

static void add_kinds(struct out *o, const struct hist_stat *s, uint64_t total, const struct column *c)
{
	const struct access_kinds *d = &access_kinds[c->sum->division];
	for (unsigned i = 0; i < d->nr; i++) {
		if (i)
			out_ch(o, ',');
		out_f64(o, report_percent(s->kinds ? s->kinds[d->first + i] : 0, total), 4);
	}
}

static void add_head(struct out *o, const struct report *r)
{
	out_str(o, "event");
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		const struct hist_key *k = &r->fields[i];
		out_ch(o, ',');
		if (cell_is_value(k) && k->column->sum->kind == COLUMN_INTERVAL)
			out_str(o, "ci_low,ci_high");
		else if (cell_is_divided(k))
			add_kind_names(o, k->column);
		else
			out_csv(o, k->column->id == COLUMN_FIELD ? k->header : k->column->name);
	}
	out_ch(o, '\n');
}

static void add_value(struct out *o, const struct report *r, const struct report_part *p, const struct hist_stat *s,
		      uint32_t event, const struct column *c)
{
	uint64_t total = report_total(r, p, event);
	if (c->sum->kind == COLUMN_COUNT) {
		out_u64(o, hist_value(s, c));
	} else if (c->sum->kind == COLUMN_DIVIDED) {
		add_kinds(o, s, total, c);
	} else if (c->sum->kind == COLUMN_INTERVAL) {
		struct report_interval ci = report_interval(s->period, total, p->hist->totals[event].samples);
		out_f64(o, ci.low, 4);
		out_ch(o, ',');
		out_f64(o, ci.high, 4);
	} else {
		out_f64(o, report_percent(hist_value(s, c), report_column_total(r, p, event, c)), 4);
	}
}

static void add_row(struct out *o, const struct report *r, const struct report_part *p, const struct hist_entry *e,
		    uint32_t event)
{
	const struct hist *h = p->hist;
	struct strbuf cell = {};
	out_csv(o, profile_str(h->profile, h->profile->events.data[h->options.events[event]].name));
	for (uint32_t i = 0; i < r->fields_nr; i++) {
		const struct hist_key *k = &r->fields[i];
		out_ch(o, ',');
		if (!report_part_has(p, k))
			continue;
		if (k->column->from == COLUMN_FROM_VALUES) {
			add_value(o, r, p, &hist_stats(h, e)[event], event, k->column);
		} else if (column_is_number(h, k)) {
			out_i64(o, (int64_t)hist_label(h, e, k->label, 0));
		} else {
			strbuf_reset(&cell);
			column_format_plain(h, k, e, &cell);
			out_csv(o, strbuf_str(&cell));
		}
	}
	out_ch(o, '\n');
	strbuf_deinit(&cell);
}

void data_report_csv(struct out *o, const struct report *r)
{
	add_head(o, r);
	for (uint32_t i = 0; i < r->parts_nr; i++) {
		const struct report_part *p = &r->parts[i];
		struct report_rows rows;
		struct report flat = *r;
		flat.show_chains = false;
		report_rows_init(&rows, &flat, p);
		for (uint32_t n = 0; n < rows.nr && !out_failed(o); n++)
			for (uint32_t j = 0; j < p->hist->options.events_nr; j++)
				add_row(o, r, p, &p->hist->entries.data[rows.entries[n]], j);
		report_rows_deinit(&rows);
	}
}
