/*
 * The overall speed of each run, by the rows that have not changed: other load, another frequency or another machine makes every row
 * of a run longer, although no code has changed.
 *
 * All rows count as unchanged at first; the one that differs most is removed, as long as its difference is significant. A minimum
 * share of the time must remain unchanged. One thread.
 */
#pragma once
#include "diff/change.h"

/* Sets c->factors for the first side and this one; requires values and totals. */
void diff_pace_find(struct diff_changes *c, const struct diff_rows *rows, uint32_t side);
