/*
 * What the scheduler counted, in perf's layout, and as a table of all of it; also beside another time's.
 *
 * Source of the text: what perf 7.2 prints.
 */
#pragma once
#include "analysis/schedstat/schedstat.h"
#include "base/out.h"
#include "table/table.h"

struct schedstat_view {
	const struct schedstat *s, *other; /* other: to be compared with; or NULL */
	bool explains;     /* meanings in place of names */
	bool summary_only; /* means of all CPUs, and no single CPU */
};

/* ERROR_FORMAT where other has not the same CPUs and domains. */
struct strobe_error *schedstat_check(const struct schedstat_view *v) _must_check_;
void schedstat_text(struct out *out, const struct schedstat_view *v);
void schedstat_table(struct table *t, const struct schedstat_view *v);
