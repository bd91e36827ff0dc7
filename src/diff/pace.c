#include "diff/pace.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define SHARE_MIN     1.0  /* percent: smaller rows are negligible */
#define REMAINING_MIN 20.0 /* minimum percentage of unchanged rows */
#define ROUNDS_MAX    64

struct pace {
	struct diff_changes *c;
	const struct diff_rows *rows;
	uint32_t side;
	bool *changed; /* by row */
};

static uint64_t period_of(const struct diff_rows *rows, uint32_t row, uint32_t input)
{
	const struct hist_entry *e = diff_row_entry(rows, row, input);
	return e ? hist_stats(rows->parts[input]->hist, e)->period : 0;
}

static double unchanged_period(const struct pace *p, uint32_t input)
{
	double sum = 0;
	for (uint32_t row = 0; row < p->rows->nr; row++)
		if (!p->changed[row])
			sum += (double)period_of(p->rows, row, input);
	return sum;
}

static void set_factors(const struct pace *p)
{
	const struct diff_side *sides[] = { &p->c->sides[0], &p->c->sides[p->side] };
	double mean = 0;
	uint32_t n = 0;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = sides[s]->first; i < sides[s]->first + sides[s]->nr; i++, n++)
			mean += p->c->factors[i] = unchanged_period(p, i);
	mean /= n;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = sides[s]->first; i < sides[s]->first + sides[s]->nr; i++)
			p->c->factors[i] = p->c->factors[i] > 0 ? mean / p->c->factors[i] : 1;
}

static double share_of(const struct pace *p, uint32_t row)
{
	return fmax(diff_value_at(p->c, row, 0)->percent, diff_value_at(p->c, row, p->side)->percent);
}

static bool is_candidate(const struct pace *p, uint32_t row)
{
	return !p->changed[row] && share_of(p, row) >= SHARE_MIN;
}

/* Of the rows that differ significantly, the one that differs most; rows_nr: none. */
static uint32_t most_changed(const struct pace *p)
{
	uint32_t candidates = 0, found = p->rows->nr;
	double most = 0;
	for (uint32_t row = 0; row < p->rows->nr; row++)
		candidates += is_candidate(p, row);
	for (uint32_t row = 0; row < p->rows->nr; row++) {
		if (!is_candidate(p, row))
			continue;
		const struct diff_change change = diff_change_of(p->c, p->rows, row, p->side);
		double by = isnan(change.ratio) ? 0 : fabs(log(change.ratio));
		if (change.q * candidates < DIFF_FALSE_RATE && by > most) {
			most = by;
			found = row;
		}
	}
	return found;
}

static double unchanged_share(const struct pace *p)
{
	double sum = 0;
	for (uint32_t row = 0; row < p->rows->nr; row++)
		if (!p->changed[row])
			sum += diff_value_at(p->c, row, 0)->percent;
	return sum;
}

void diff_pace_find(struct diff_changes *c, const struct diff_rows *rows, uint32_t side)
{
	struct pace p = { .c = c, .rows = rows, .side = side, .changed = xcalloc((size_t)rows->nr + 1, sizeof(bool)) };
	set_factors(&p);
	for (unsigned i = 0; i < ROUNDS_MAX; i++) {
		uint32_t row = most_changed(&p);
		if (row == rows->nr)
			break;
		p.changed[row] = true;
		if (unchanged_share(&p) < REMAINING_MIN) {
			p.changed[row] = false;
			break;
		}
		set_factors(&p);
	}
	free(p.changed);
}
