/*
 * Makes a count listing of a tally: values, noise and derived figures, in the order of display.
 */
#pragma once
#include "counter/tally.h"
#include "table/counts.h"

struct listing_options {
	bool all_threads;  /* threads of the whole system: show only those with counts */
	bool no_figures;
	bool with_lacking; /* also show default events that this machine cannot count */
};

/*
 * Fills rows, by, unit_width and has_cgroups of *ret, whose times (elapsed, interval_s, is_interval, runs) must be set already,
 * since figures need them. Strings of rows are borrowed from the set, the tally and the target map.
 */
void listing_fill(struct counts *ret, const struct tally *t, struct listing_options options);
/* Adds the derived figures of one row. */
void figures_add(struct counts_row *row, const struct tally *t, uint32_t event, uint32_t place, double elapsed_s);
