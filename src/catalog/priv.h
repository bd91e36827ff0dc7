/* Shared by the files of the catalog. */
#pragma once
#include "catalog/catalog.h"

/* The selection by one word. */
struct catalog_selection {
	unsigned groups; /* EVENT_GROUP_* */
	bool sdt, metrics, metric_groups, vendor, patterns;
	const char *glob;      /* in lower case; NULL = everything */
	bool whole_tracepoint; /* the glob matches "system:name": only tracepoints and markers */
};

/* Strings are valid for the call; those that do not apply are NULL. */
struct catalog_row {
	const char *name, *alias;
	const char *type;         /* "Software event" */
	const char *groups;       /* of a metric */
	const char *pmu;
	const char *desc, *long_desc;
	const char *encoding;     /* "cpu/event=0x3c/", "1:0x2"; for metrics the expression */
	const char *unit, *scale; /* of the count */
	const struct tracepoint *tracepoint; /* with details */
	bool is_deprecated;
	enum { CATALOG_EVENT, CATALOG_METRIC, CATALOG_OTHER } kind; /* other: a pattern, or a group of metrics */
};

bool catalog_matches(const struct catalog *c, const char *name);
/* Stores the first error; err may be NULL. */
void catalog_note_error(struct catalog *c, struct strobe_error *err);

/* rows.c */
void catalog_columns(struct catalog *c);
void catalog_row(struct catalog *c, const struct catalog_row *row);
/* "Metric Groups:" and similar headings, in text. */
void catalog_heading(struct catalog *c, const char *text);

/* events.c, metrics.c: each adds its matches of the selection */
void catalog_events(struct catalog *c, unsigned groups);
void catalog_vendor_events(struct catalog *c);
void catalog_markers(struct catalog *c);
void catalog_patterns(struct catalog *c);
void catalog_metrics(struct catalog *c);
void catalog_metric_groups(struct catalog *c);
