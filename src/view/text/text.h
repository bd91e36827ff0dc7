/*
 * Reports as plain text, in the layout that users of perf know.
 *
 * Functions write to the caller's out and keep nothing. Control bytes in names become \xNN. Source of the layout:
 * perf-report(1) and the output of perf 6.1.
 */
#pragma once
#include "base/out.h"
#include "report/report.h"

/* Text around the rows; {} is only headings. */
struct report_text {
	bool quiet;              /* rows only */
	bool ref_chains;         /* --show-ref-call-graph, which titles name */
	const char *time_slices; /* --time, or NULL */
	bool has_socket;         /* only samples of one processor socket are shown: */
	uint64_t socket;
	const char *tip;         /* a line of advice at the end, or NULL */
	const char *colour_high, *colour_medium, *colour_off; /* escapes around shares; NULL: no colours */
};

/* The whole report: the loss remark, each event's head and rows, and the tip. */
void text_report(struct out *o, const struct report *r, const struct report_text *options);
/* The call tree of one entry, as below a row of a report; shares are of the hist's total. Nothing if it has none. */
void text_call_tree(struct out *o, struct hist *h, const struct calltree_options *options, struct calltrees *trees, uint32_t entry);
/* "# To display the perf.data header info, ..." and the two lines below it. */
void text_header_hint(struct out *o);
