#include "diff/change.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "diff/pace.h"
#include "statistics/compare.h"
#include "statistics/counts.h"

#define CONFIDENCE 0.95

/* ---- values ---- */

static struct diff_value total_of(const struct diff_rows *rows, const struct diff_side *side, bool relative)
{
	struct diff_value v = { .percent = 100 };
	for (uint32_t i = side->first; i < side->first + side->nr; i++) {
		if (!rows->parts[i])
			continue;
		const struct hist_total *t = &rows->parts[i]->hist->totals[0];
		v.exists = true;
		v.period += relative ? t->shown_period : t->period;
		v.samples += relative ? t->shown_samples : t->samples;
	}
	return v;
}

static struct diff_value value_of(const struct diff_rows *rows, uint32_t row, const struct diff_side *side, uint64_t total)
{
	struct diff_value v = {};
	for (uint32_t i = side->first; i < side->first + side->nr; i++) {
		const struct hist_entry *e = diff_row_entry(rows, row, i);
		if (!e)
			continue;
		const struct hist_stat *s = hist_stats(rows->parts[i]->hist, e);
		v.exists = true;
		v.period += s->period;
		v.samples += s->samples;
	}
	v.percent = report_percent(v.period, total);
	return v;
}

/* ---- changes ---- */

static const struct diff_change unknown = { .ratio = NAN, .low = NAN, .high = NAN, .q = NAN };

/* Periods of an input times this factor are those of a run of average speed. */
static double factor_of(const struct diff_changes *c, uint32_t input)
{
	return c->factors ? c->factors[input] : 1;
}

/* The period of an average sample, over both sides: periods in units of it are counts. */
static double mean_period(const struct diff_value *a, const struct diff_value *b)
{
	uint64_t samples = a->samples + b->samples;
	return samples ? ((double)a->period + (double)b->period) / (double)samples : 0;
}

/* The amount of work of a side's runs: their number, corrected for their overall speed. */
static double exposure_of(const struct diff_changes *c, uint32_t side)
{
	double sum = 0;
	for (uint32_t i = c->sides[side].first; i < c->sides[side].first + c->sides[side].nr; i++)
		sum += 1 / factor_of(c, i);
	return sum;
}

/* Without an interval or, if everything was counted, with the ratio itself as interval. */
static struct diff_change change_of_values(double ratio, bool is_exact)
{
	if (!is_exact)
		return (struct diff_change){ .ratio = ratio, .low = NAN, .high = NAN, .q = NAN };
	return (struct diff_change){ .ratio = ratio, .low = ratio, .high = ratio, .q = isnan(ratio) ? NAN : ratio == 1 ? 1 : 0 };
}

static struct diff_change change_of_counts(const struct diff_changes *c, uint32_t row, uint32_t side)
{
	const struct diff_value *a = diff_value_at(c, row, 0), *b = diff_value_at(c, row, side);
	const struct diff_measure *m = &c->measure;
	double unit = m->has_unit ? m->unit : mean_period(&c->totals[0], &c->totals[side]);
	double exposure = exposure_of(c, side) / exposure_of(c, 0);
	if (m->has_unit && (unit <= 0 || isinf(unit)))
		return change_of_values((double)b->period / exposure / (double)a->period, unit <= 0);
	if (!(unit > 0))
		return unknown;
	struct count_change change = count_change((double)a->period / unit, (double)b->period / unit, exposure, CONFIDENCE);
	return (struct diff_change){ .ratio = change.ratio, .low = change.low, .high = change.high, .q = change.p };
}

static double *periods_of(const struct diff_changes *c, const struct diff_rows *rows, uint32_t row, const struct diff_side *side)
{
	double *ret = xcalloc(side->nr, sizeof(*ret));
	for (uint32_t i = 0; i < side->nr; i++) {
		const struct hist_entry *e = diff_row_entry(rows, row, side->first + i);
		double period = e ? (double)hist_stats(rows->parts[side->first + i]->hist, e)->period : 0;
		ret[i] = period * factor_of(c, side->first + i);
	}
	return ret;
}

static struct diff_change change_of_runs(const struct diff_rows *rows, const struct diff_changes *c, uint32_t row, uint32_t side)
{
	double *a = periods_of(c, rows, row, &c->sides[0]), *b = periods_of(c, rows, row, &c->sides[side]);
	const struct comparison of = compare_series((struct compare_series){ a, c->sides[0].nr },
						    (struct compare_series){ b, c->sides[side].nr });
	struct diff_change change = { .ratio = NAN, .low = NAN, .high = NAN, .q = of.p };
	if (of.has_ratio) {
		change.ratio = of.ratio;
		change.low = of.low;
		change.high = of.high;
	}
	free(a);
	free(b);
	return change;
}

/* Converts p of a side's changes, stored in q so far, to q. */
static void adjust(struct diff_changes *c, uint32_t side)
{
	double *p = xcalloc((size_t)c->rows_nr + 1, sizeof(*p));
	for (uint32_t row = 0; row < c->rows_nr; row++)
		p[row] = diff_change_at(c, row, side)->q;
	discoveries_adjust(p, c->rows_nr);
	for (uint32_t row = 0; row < c->rows_nr; row++) {
		struct diff_change *change = &c->changes[(size_t)row * c->sides_nr + side];
		change->q = p[row];
		change->is_real = p[row] < DIFF_FALSE_RATE;
	}
	free(p);
}

struct diff_change diff_change_of(const struct diff_changes *c, const struct diff_rows *rows, uint32_t row, uint32_t side)
{
	if (!c->totals[0].exists || !c->totals[side].exists)
		return unknown;
	return c->sides[0].nr > 1 && c->sides[side].nr > 1 ? change_of_runs(rows, c, row, side) : change_of_counts(c, row, side);
}

static void compute_changes(struct diff_changes *c, const struct diff_rows *rows, uint32_t side)
{
	if (c->factors && c->totals[0].exists && c->totals[side].exists)
		diff_pace_find(c, rows, side);
	for (uint32_t row = 0; row < c->rows_nr; row++)
		c->changes[(size_t)row * c->sides_nr + side] = diff_change_of(c, rows, row, side);
	adjust(c, side);
}

void diff_changes_compute(struct diff_changes *c, const struct diff_rows *rows, const struct diff_side *sides, uint32_t sides_nr,
			  struct diff_measure measure)
{
	*c = (struct diff_changes){ .sides = sides, .sides_nr = sides_nr, .rows_nr = rows->nr, .measure = measure };
	c->totals = xcalloc(sides_nr, sizeof(*c->totals));
	c->values = xcalloc((size_t)rows->nr * sides_nr + 1, sizeof(*c->values));
	c->changes = xcalloc((size_t)rows->nr * sides_nr + 1, sizeof(*c->changes));
	if (measure.normalize)
		c->factors = xcalloc((size_t)rows->inputs_nr + 1, sizeof(*c->factors));
	for (uint32_t side = 0; side < sides_nr; side++) {
		c->totals[side] = total_of(rows, &sides[side], measure.relative);
		for (uint32_t row = 0; row < rows->nr; row++)
			c->values[(size_t)row * sides_nr + side] = value_of(rows, row, &sides[side], c->totals[side].period);
	}
	for (uint32_t side = 1; side < sides_nr && !measure.only_values; side++)
		compute_changes(c, rows, side);
}

void diff_changes_deinit(struct diff_changes *c)
{
	free(c->totals);
	free(c->values);
	free(c->changes);
	free(c->factors);
	*c = (struct diff_changes){};
}
