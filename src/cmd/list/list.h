/*
 * What `strobe list` has in common: one row for each event, metric or marker, and how rows are printed.
 */
#pragma once
#include <stdbool.h>

#include "base/json.h"
#include "base/out.h"
#include "decode/tracepoint.h"
#include "sys/sys.h"

struct list_options {
	bool all, desc, long_desc, debug, deprecated, details, json, raw_dump;
	bool document; /* our own JSON; else perf's */
	const char *cputype, *unit, *output, *format;
};

/* Strings live for the call; those that do not apply are NULL. */
struct list_row {
	const char *name, *alias;
	const char *type;        /* "Software event" */
	const char *topic;       /* of metrics: their groups */
	const char *pmu;
	const char *desc, *long_desc;
	const char *encoding;    /* "cpu/event=0x3c/", "software/config=0x1/"; of metrics the expression */
	const char *unit, *scale; /* of the count */
	const struct tracepoint *tracepoint; /* with --details */
	bool deprecated;
	bool no_event;           /* a pattern or a metric group: no name for -e */
};

struct list_printer {
	const struct list_options *options;
	struct out *out;
	struct json json;
	unsigned columns; /* of the terminal */
	uint64_t rows;    /* so far */
};

void list_begin(struct list_printer *p, bool title);
void list_row(struct list_printer *p, const struct list_row *row);
/* "Metric Groups:" and the like; nothing in JSON. */
void list_heading(struct list_printer *p, const char *text);
void list_end(struct list_printer *p);
