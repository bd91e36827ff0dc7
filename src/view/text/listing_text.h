/*
 * Code listings as plain text, in the two layouts that users of perf know.
 *
 * Functions write to the caller's out and keep nothing. Names and source lines are written as they are but for control
 * bytes, which become \xNN, and tabs, which become blanks. Source of the layouts: what perf 6.1 prints, except that a line
 * number here is the line's number, and that source keeps its indentation.
 */
#pragma once
#include "base/out.h"
#include "table/listing.h"

enum listing_shown { LISTING_SHOW_PERCENT, LISTING_SHOW_SAMPLES, LISTING_SHOW_PERIOD };

struct listing_text_options {
	enum listing_share share;
	enum listing_shown shown;
	bool with_source, raw_bytes;
	bool lines;       /* shares of source lines above it, and the line beside each instruction that cost something */
	bool full_paths;
	bool counts;      /* samples at each address, above it */
	double least_percent; /* text_listing(): instructions with a smaller share are left out, and what is above them */
	const char *title; /* what is counted: the event's name, or "anon group { a, b }" */
	/* Escapes, or all "" */
	const char *colour_high, *colour_medium, *colour_address, *colour_code, *colour_off;
};

/* --stdio: every instruction with its address and with what objdump would write beside it. */
void text_listing(struct out *o, const struct listing *l, const struct listing_text_options *options);
/* --stdio2: addresses only where something jumps to, and an arrow before each jump, call and return. */
void text_listing_compact(struct out *o, const struct listing *l, const struct listing_text_options *options);
