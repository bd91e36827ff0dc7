/*
 * A finished report, the input of all its views: events, rows, columns.
 *
 * Filled in by a command (or a test), and const for the views; everything is borrowed. Each struct report_part is one
 * event, or one group of events side by side.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "profile/calltree.h"
#include "profile/hist.h"

struct report_part {
	struct hist *hist;       /* sorted */
	const char *event_name;  /* "cycles:u", or "anon group { cycles, instructions }" */
	bool is_group;
	bool has_chains;         /* the event was recorded with call chains */
	uint64_t samples, period; /* for the head */
};

struct report {
	const struct report_part *parts;
	uint32_t parts_nr;
	const struct hist_key *fields; /* columns in order; sums and sort keys */
	uint32_t fields_nr;
	struct calltree_options chains;
	double percent_limit;  /* rows with smaller shares are left out */
	/* By event, instead of the hist's, for a view of one part that shows only some of its entries; NULL: the hist's. */
	const struct hist_total *totals;
	bool relative;         /* shares of what the filters leave (--percentage relative) */
	bool show_chains;
	bool hierarchy;
	bool mem_mode;
	const char *sort_order;
	const char *separator; /* -t, or NULL */
	const unsigned *widths; /* -w: by field, 0 = automatic */
	uint32_t widths_nr;
	uint64_t lost_samples;
	bool symbol_first; /* the first sort key is the symbol: a chain does not repeat it */
};

/* Whether a column has values for this part: a tracepoint's field belongs to one event. */
static inline bool report_part_has(const struct report_part *p, const struct hist_key *k)
{
	return !k->only_event || k->only_event == p->hist->options.events[0] + 1;
}

/* Whether the part includes an event of the profile. */
static inline bool report_part_counts(const struct report_part *p, uint32_t event)
{
	for (uint32_t i = 0; i < p->hist->options.events_nr; i++)
		if (p->hist->options.events[i] == event)
			return true;
	return false;
}

static inline const struct hist_total *report_totals(const struct report *r, const struct report_part *p, uint32_t j)
{
	return r->totals ? &r->totals[j] : &p->hist->totals[j];
}

/* The total that shares of event j of a part refer to. */
static inline uint64_t report_total(const struct report *r, const struct report_part *p, uint32_t j)
{
	const struct hist_total *t = report_totals(r, p, j);
	return r->relative ? t->shown_period : t->period;
}

/* The same for a column of sums. */
static inline uint64_t report_column_total(const struct report *r, const struct report_part *p, uint32_t j, const struct column *c)
{
	const struct hist_total *t = report_totals(r, p, j);
	if (!c->sum->of_elapsed)
		return report_total(r, p, j);
	return r->relative ? t->shown_latency : t->latency;
}

static inline double report_percent(uint64_t value, uint64_t total)
{
	return total ? 100.0 * (double)value / (double)total : 0.0;
}

/* Whether the limit on shares permits the entry; decided by the first event. */
static inline bool report_shows(const struct report *r, const struct report_part *p, const struct hist_entry *e)
{
	const struct hist_stat *s = hist_stats(p->hist, e);
	uint64_t value = p->hist->options.children ? s->children : s->period;
	return report_percent(value, report_total(r, p, 0)) >= r->percent_limit;
}

/* An interval that contains the true share in 95 of 100 recordings, in percent. */
struct report_interval {
	double low, high;
};
/*
 * Wilson's score interval for a share of all samples. Samples may have different periods, so the share is that of periods; the number of
 * draws is the number of samples of the event.
 */
struct report_interval report_interval(uint64_t value, uint64_t total, uint64_t samples);

/* The entries to show, in order, and their call trees (NULL: none are shown). */
struct report_rows {
	uint32_t *entries;
	uint32_t nr;
	struct calltrees *trees;
};
void report_rows_init(struct report_rows *rows, const struct report *r, const struct report_part *p);
void report_rows_deinit(struct report_rows *rows);

/* Appends the name of a frame in a call chain, or its address if it has no symbol. */
void report_frame_name(const struct hist *h, frame_id frame, bool by_address, struct strbuf *out);
