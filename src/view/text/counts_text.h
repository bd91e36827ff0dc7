/*
 * A count listing as text: the classic layout of perf stat, line for line.
 *
 * State between calls is only in the caller's struct counts_text, which starts zeroed (except `options`).
 */
#pragma once
#include "base/out.h"
#include "table/counts.h"

struct counts_text {
	bool colour;
	const char *thousands;    /* between groups of three digits, or "" */
	const char *clear;        /* written before each interval: clears the screen; or NULL */
	bool table;               /* --table: each run */
	unsigned lines;           /* intervals since the last heading */
};

void counts_text(struct counts_text *t, struct out *out, const struct counts *c);
