/*
 * What is reported of a recording: which samples are read, which rows are made of them, how rows and code look. As options spell
 * it, of report, top and annotate; where the report goes is the commands' own.
 *
 * Strings are borrowed. report_request_defaults() is perf's report.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "annotate/annotate.h"
#include "report/filter.h"
#include "report/grouping.h"
#include "session/selection.h"
#include "view/display.h"

/* Code beside its samples. */
struct code_options {
	struct code_look look;
	struct annotate_options listing; /* syntax, and where source files are */
	const char *event;               /* of annotate: the one that is shown first, or NULL */
};

/* What the profile is read for, which says what its rows have to hold. */
enum report_purpose {
	REPORT_FOR_ROWS,
	REPORT_FOR_PICTURE, /* whole stacks */
	REPORT_FOR_PAGE,    /* and threads, times and lines */
	REPORT_FOR_CYCLES,  /* branch records with cycles */
};

struct report_request {
	const char *program;     /* for messages that name a command */
	struct selection selection;      /* what is read */
	struct report_filter filter;     /* which rows of it are shown */
	struct report_grouping grouping; /* how they are grouped */
	struct report_display display;   /* how they look */
	struct code_options code;        /* and code */
	enum report_purpose purpose;
	unsigned verbose;                /* above 0: objects by path, frames by address */
	uint64_t listed_samples;         /* there one by one: so many of an entry at most; 0 is all */
	bool begins_with_code;           /* of the first function: `annotate` */
};

static inline struct report_request report_request_defaults(void)
{
	return (struct report_request){ .selection.inlined = true, .grouping = report_grouping_defaults() };
}
