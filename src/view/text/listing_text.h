/*
 * Code listings as plain text, in the two layouts that users of perf know.
 *
 * Functions write to the caller's out and keep nothing. In names and source lines control bytes become \xNN, and tabs
 * become blanks. Source of the layouts: the output of perf 6.1, except that line numbers are correct and source keeps its
 * indentation.
 */
#pragma once
#include "base/out.h"
#include "table/listing.h"

enum listing_shown { LISTING_SHOW_PERCENT, LISTING_SHOW_SAMPLES, LISTING_SHOW_PERIOD };

struct listing_text_options {
	enum listing_share share;
	enum listing_shown shown;
	bool with_source, raw_bytes;
	bool lines;       /* shares of source lines above the code, and the source line beside each instruction with samples */
	bool full_paths;
	bool counts;      /* samples at each address, above the code */
	double least_percent; /* text_listing(): leave out instructions with a smaller share, and the lines above them */
	const char *title; /* the event's name, or "anon group { a, b }" */
	/* Escapes, or all "" */
	const char *colour_high, *colour_medium, *colour_address, *colour_code, *colour_off;
};

/* --stdio: every instruction with its address and objdump's annotations. */
void text_listing(struct out *o, const struct listing *l, const struct listing_text_options *options);
/* --stdio2: addresses only at jump targets, and an arrow before each jump, call and return. */
void text_listing_compact(struct out *o, const struct listing *l, const struct listing_text_options *options);
