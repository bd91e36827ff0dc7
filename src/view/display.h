/*
 * Options of report, top and annotate for the appearance of reports and code, not for their contents.
 *
 * Strings are borrowed. All zeros are perf's defaults.
 */
#pragma once
#include <stdbool.h>

#include "table/listing.h"

/* Display of code; on a screen the initial values, which keys change. */
enum code_unit { CODE_PERCENT, CODE_PERIOD, CODE_SAMPLES, CODE_UNITS_NR };
struct code_look {
	enum listing_share share;
	enum code_unit unit;
	bool raw, no_source, line_numbers, full_paths;
	bool types; /* of data beside instructions */
};

/* Display of a report as text. */
struct report_display {
	const char *separator;   /* between columns, without padding; or NULL */
	const char *widths;      /* of columns, separated by commas; 0: automatic; or NULL */
	bool quiet;              /* only rows */
	bool ref_chains;         /* --show-ref-call-graph, which the title names */
};
