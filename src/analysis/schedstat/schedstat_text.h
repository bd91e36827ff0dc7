/*
 * The scheduler's counters in perf's layout, and as a table of all; also compared with another period.
 *
 * The text is perf's blocks of lines, whose marks differ from counter to counter, and no table; both go over the same blocks.
 * Source of the text: what perf 7.2 prints.
 */
#pragma once
#include "analysis/schedstat/schedstat.h"
#include "base/out.h"
#include "table/table.h"

struct schedstat_view {
	const struct schedstat *s, *other; /* other: to compare with; or NULL */
	bool explains;     /* show descriptions in place of names */
	bool summary_only; /* only means of all CPUs */
};

/* ERROR_FORMAT if the CPUs and domains of `other` differ. */
struct strobe_error *schedstat_check(const struct schedstat_view *v) _must_check_;
void schedstat_text(struct out *out, const struct schedstat_view *v);
void schedstat_table(struct table *t, const struct schedstat_view *v);
