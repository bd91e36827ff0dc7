/*
 * The values of each row on each side, the change from the first side, and whether it is significant.
 *
 * A side is one input, or several runs of the same. perf's figures compare shares of the whole side (delta), or periods (ratio,
 * weighted difference); the test compares periods per run: if one function changes, the shares of all others change, but their
 * periods do not. With one run on each side it is the exact test of two counts, which covers only the randomness of sampling; with
 * several, it uses the runs' spread (statistics/compare.h). Rates of false discoveries are over all rows of the event.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "diff/rows.h"

struct diff_side {
	uint32_t first, nr; /* range of inputs */
};

/* Of a row on a side, or the total. Sums over runs. */
struct diff_value {
	bool exists;
	uint64_t period, samples;
	double percent; /* of the side's total */
};

/* Compared with the first side. */
struct diff_change {
	double ratio, low, high; /* of the period per run, with its 95 % interval; NAN: unknown */
	double q;                /* the lowest rate of false discoveries that includes it; NAN: unknown */
	bool is_real;            /* q < DIFF_FALSE_RATE */
};
#define DIFF_FALSE_RATE 0.05

struct diff_measure {
	bool relative;  /* 100 % is what the filters leave */
	bool normalize; /* correct for runs that were slower or faster as a whole (pace.h) */
	bool only_values; /* changes are not computed: none is shown, or judged */
	/*
	 * The period per independent observation, if that is not the mean period of the samples: for a heap profile, whose values are
	 * already weighted. 0: everything was counted, so each difference is real. INFINITY: unknown.
	 */
	bool has_unit;
	double unit;
};

struct diff_changes {
	const struct diff_side *sides;
	uint32_t sides_nr, rows_nr;
	struct diff_value *totals;   /* by side */
	struct diff_value *values;   /* by row and side */
	struct diff_change *changes; /* the same; unset for the first side */
	struct diff_measure measure;
	double *factors;             /* by input: its overall speed (pace.h); NULL: all equal */
};

/* Copies data of the rows; borrows the sides. */
void diff_changes_compute(struct diff_changes *c, const struct diff_rows *rows, const struct diff_side *sides, uint32_t sides_nr,
			  struct diff_measure measure);
void diff_changes_deinit(struct diff_changes *c);

static inline const struct diff_value *diff_value_at(const struct diff_changes *c, uint32_t row, uint32_t side)
{
	return &c->values[(size_t)row * c->sides_nr + side];
}

static inline const struct diff_change *diff_change_at(const struct diff_changes *c, uint32_t row, uint32_t side)
{
	return &c->changes[(size_t)row * c->sides_nr + side];
}

/* One change, with p instead of q. */
struct diff_change diff_change_of(const struct diff_changes *c, const struct diff_rows *rows, uint32_t row, uint32_t side);
