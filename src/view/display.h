/*
 * Options of report, top and annotate for the appearance of reports and code; their contents are chosen elsewhere.
 *
 * Strings are borrowed. Zeroed are perf's defaults.
 */
#pragma once
#include <stdbool.h>

#include "table/listing.h"

/* Code; on a screen the initial appearance: keys change all of it. */
enum code_unit { CODE_PERCENT, CODE_PERIOD, CODE_SAMPLES, CODE_UNITS_NR };
struct code_look {
	enum listing_share share;
	enum code_unit unit;
	bool raw, no_source, line_numbers, full_paths;
};

/* A report as text, on whichever terminal or file. */
struct report_display {
	const char *separator;   /* between columns, without padding; or NULL */
	const char *widths;      /* of columns, divided by commas, 0 as needed; or NULL */
	bool quiet;              /* rows and nothing else */
	bool ref_chains;         /* --show-ref-call-graph, which the title names */
};
