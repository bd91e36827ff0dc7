/*
 * Reports for programs: JSON (doc/schema/report-1.md) and CSV.
 *
 * Both have the rows of the text report, in its order, with exact values.
 */
#pragma once
#include "base/out.h"
#include "report/refresh.h"
#include "report/report.h"

#define DATA_REPORT_FORMAT  "strobe-report"
#define DATA_REPORT_VERSION 1

#define DATA_REFRESH_FORMAT  "strobe-top"
#define DATA_REFRESH_VERSION 1

/* One object on one line. */
void data_refresh_json(struct out *o, const struct report_refresh *f, const struct report *r);
void data_report_json(struct out *o, const struct report *r);
/* One line of column names, then a line for each row; the first column is the event. */
void data_report_csv(struct out *o, const struct report *r);
