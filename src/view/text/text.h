/*
 * Reports as plain text, in the layout that users of the reference know.
 *
 * Functions write to the caller's out and keep nothing. Names are written as they are but for control bytes, which become
 * \xNN. Source of the layout: perf-report(1) and what perf 6.1 prints.
 */
#pragma once
#include "base/out.h"
#include "report/report.h"

/* The whole report: the loss remark, each event's head and rows, and the tip. */
void text_report(struct out *o, const struct report *r);
/* "# To display the perf.data header info, ..." and the two lines below it. */
void text_header_hint(struct out *o);
