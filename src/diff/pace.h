/*
 * How fast each run was in all, by the rows that have not changed: other load, another frequency or another machine makes every row of a
 * run longer, although none of them has changed.
 *
 * Rows count as unchanged until the one that differs most, and beyond chance, is taken out, again and again: what has not changed must
 * take most of the time. One thread.
 */
#pragma once
#include "diff/change.h"

/* Sets c->factors for the first side and this one; values and totals are there. */
void diff_pace_find(struct diff_changes *c, const struct diff_rows *rows, uint32_t side);
