/*
 * From a tally to a count listing: values, noise and derived figures, in the order in which they are shown.
 */
#pragma once
#include "counter/tally.h"
#include "table/counts.h"

struct listing_options {
	bool all_threads;  /* the threads are those of the whole system: only those that counted are shown */
	bool no_figures;
	bool with_lacking; /* events of the default set that this machine cannot count, too */
};

/*
 * Fills rows, by, unit_width and has_cgroups of *ret, whose times (elapsed, interval_s, is_interval, runs) are set already
 * because figures need them. Strings of the rows are those of the set, the tally and the target map.
 */
void listing_fill(struct counts *ret, const struct tally *t, struct listing_options options);
/* The derived figures of one row. */
void figures_add(struct counts_row *row, const struct tally *t, uint32_t event, uint32_t place, double elapsed_s);
