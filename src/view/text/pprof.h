/*
 * The text reports of pprof: top, tree, peek, traces, tags and comments, with the same figures and in the same layout.
 *
 * They read a const profile. A value is shown in the unit that suits the whole report ("minimum") or in one that was asked
 * for; units are pprof's: bytes, times, and names of their own. Everything that came from a file is made harmless.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/callgraph.h"

enum pprof_report { PPROF_TOP, PPROF_TREE, PPROF_PEEK, PPROF_TRACES, PPROF_TAGS, PPROF_COMMENTS };

struct pprof_text_options {
	enum pprof_report report;
	uint32_t event;
	enum callgraph_by by;
	bool sort_cum, no_inlines, drop_negative, compact_labels;
	uint32_t node_count;         /* 0 = all */
	double node_fraction, edge_fraction;
	double divide_by;            /* 1 */
	const char *unit;            /* "minimum", "auto", or a unit */
	const char *peek;            /* regular expression */
	const char *const *filters;  /* as "focus=x", NULL-terminated: said above the report */
	int64_t total;               /* what percentages are of; 0 = the profile's own */
};

struct strobe_error *view_pprof_text(const struct profile *p, const struct pprof_text_options *options, struct out *out)
	_must_check_;
