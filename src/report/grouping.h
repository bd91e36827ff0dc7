/*
 * Grouping, sorting and sums of a report, as given by options. Part of the options of report, top and annotate, which pass it on
 * unchanged.
 *
 * Strings are borrowed. Zeroed means a report without call trees; report_grouping_defaults() are perf's defaults.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "profile/calltree.h"

struct report_grouping {
	const char *sort, *fields;      /* -s and -F as typed, or NULL; a leading + adds to the default */
	bool children;                  /* a function's callees count for it as well, if stacks were recorded */
	bool hierarchy;                 /* the sort keys are levels of a tree */
	bool group, group_set;          /* events of a group side by side */
	uint64_t group_sort_index;      /* the event of a group to sort by */
	bool latency, latency_set;      /* shares of the elapsed time first */
	bool show_samples, show_period, show_cpu_modes, show_ci; /* columns besides the keys */
	bool raw_trace;                 /* fields of tracepoints instead of their text */
	uint64_t time_quantum_ns;       /* of the sort key time; 0 = 100 ms */
	const char *parent;             /* regular expression: callers that the key parent groups by; NULL = REPORT_PARENTS */
	const char *ignore_callees;     /* regular expression: functions whose callees count for them; or NULL */
	struct calltree_options chains;
	bool chains_requested, chain_order_set; /* -g was given; with an order */
	double percent_limit;           /* entries with smaller shares are left out */
	bool percent_limit_set;
	bool relative;                  /* shares of what the filters leave */
	bool skip_empty;                /* leave out events without samples */
	bool nanoseconds, full_source_path; /* --ns, --full-source-path: format of key values */
};

#define REPORT_PARENTS "^sys_|^do_page_fault" /* default expression of the key parent */

/* Call trees from half a percent, callees counted, groups side by side. */
static inline struct report_grouping report_grouping_defaults(void)
{
	return (struct report_grouping){
		.children = true,
		.group = true,
		.skip_empty = true,
		.chains = { .mode = CALLTREE_GRAPH, .min_percent = 0.5 },
	};
}
