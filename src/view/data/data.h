/*
 * Reports for programs: JSON (doc/schema/report-1.md) and CSV.
 *
 * Both hold the rows that the text report would show, in its order, with figures that are not rounded for people.
 */
#pragma once
#include "base/out.h"
#include "report/report.h"

#define DATA_REPORT_FORMAT  "strobe-report"
#define DATA_REPORT_VERSION 1

/* What a report of a moment says besides (top); the report is what has been counted by then. */
struct data_refresh {
	uint64_t number;
	double seconds;                   /* since the refresh before */
	uint64_t samples, kernel_samples; /* that came in them, shown or not */
	uint64_t lost, lost_total;        /* the kernel had no room for them */
	uint64_t dropped, dropped_total;  /* could not be read */
	bool in_kernel;                   /* samples were added up there; else each came through a ring */
};

#define DATA_REFRESH_FORMAT  "strobe-top"
#define DATA_REFRESH_VERSION 1

/* One object on one line. */
void data_refresh_json(struct out *o, const struct data_refresh *f, const struct report *r);
void data_report_json(struct out *o, const struct report *r);
/* One line of column names, then a line for each row; the first column is the event. */
void data_report_csv(struct out *o, const struct report *r);
