/*
 * What each row is on each side, how it differs from the first side, and whether that is more than chance.
 *
 * A side is one input, or several runs of the same. perf's figures compare shares of the whole side (delta), or periods (ratio,
 * weighted difference); the test compares periods a run: shares of all other functions change where one changes, their periods do
 * not. With one run on each side it is the exact test of two counts, which knows of chance in sampling alone; with several, the
 * runs' own spread decides (statistics/compare.h). Rates of false discoveries are those of all rows of the event together.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "diff/rows.h"

struct diff_side {
	uint32_t first, nr; /* of the inputs */
};

/* Of a row on a side, or of all of them. Sums over runs. */
struct diff_value {
	bool exists;
	uint64_t period, samples;
	double percent; /* of the side's total */
};

/* Against the first side. */
struct diff_change {
	double ratio, low, high; /* of the period a run, with its 95 % interval; NAN: not known */
	double q;                /* least rate of false discoveries that has it among them; NAN: not known */
	bool is_real;            /* q < DIFF_FALSE_RATE */
};
#define DIFF_FALSE_RATE 0.05

struct diff_measure {
	bool relative;  /* 100 % is what filters leave */
	bool normalize; /* runs that were slower or faster in all are made comparable (pace.h) */
	/*
	 * How much of a period one independent observation stands for, where that is not the mean period of the samples: of a heap
	 * profile, whose values are weighted already. 0: everything was counted, each difference is real. INFINITY: not known.
	 */
	bool has_unit;
	double unit;
};

struct diff_changes {
	const struct diff_side *sides;
	uint32_t sides_nr, rows_nr;
	struct diff_value *totals;   /* by side */
	struct diff_value *values;   /* by row and side */
	struct diff_change *changes; /* the same; of the first side nothing */
	struct diff_measure measure;
	double *factors;             /* by input: how fast it was in all (pace.h); NULL: all the same */
};

/* Copies what it needs of the rows; borrows the sides. */
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

/* One, with p in place of q. */
struct diff_change diff_change_of(const struct diff_changes *c, const struct diff_rows *rows, uint32_t row, uint32_t side);
