/*
 * How a report groups, sorts and sums up rows, as options spell it. Of report, top and annotate, which put it into their
 * options and hand it on whole.
 *
 * Strings are borrowed. Zeroed is a report without call trees; report_grouping_defaults() is perf's.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "profile/calltree.h"

struct report_grouping {
	const char *sort, *fields;      /* -s and -F as typed, or NULL; + before them adds to the default */
	bool children;                  /* a function's callees count for it as well, where stacks were recorded */
	bool hierarchy;                 /* the sort keys are levels of a tree */
	bool group, group_set;          /* events of a group side by side */
	uint64_t group_sort_index;      /* the event of a group that it is sorted by */
	bool latency, latency_set;      /* shares of the elapsed time first */
	bool show_samples, show_period, show_cpu_modes, show_ci; /* columns besides the keys */
	bool raw_trace;                 /* fields of tracepoints and not their text */
	uint64_t time_quantum_ns;       /* of the sort key time; 0 = 100 ms */
	const char *parent;             /* regular expression: callers that the key parent groups by; NULL = REPORT_PARENTS */
	const char *ignore_callees;     /* regular expression: what these functions call counts for themselves; or NULL */
	struct calltree_options chains;
	bool chains_requested, chain_order_set; /* -g was given; with an order */
	double percent_limit;           /* entries with a smaller share are left out */
	bool percent_limit_set;
	bool relative;                  /* shares of what filters leave */
	bool skip_empty;                /* leave out events without samples */
	bool nanoseconds, full_source_path; /* --ns, --full-source-path: what the values of keys look like */
};

#define REPORT_PARENTS "^sys_|^do_page_fault" /* what the key parent looks for unless parent says otherwise */

/* Call trees of half a percent and more, callees counted, groups side by side. */
static inline struct report_grouping report_grouping_defaults(void)
{
	return (struct report_grouping){
		.children = true,
		.group = true,
		.skip_empty = true,
		.chains = { .mode = CALLTREE_GRAPH, .min_percent = 0.5 },
	};
}
