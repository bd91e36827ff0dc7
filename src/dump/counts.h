/*
 * The output of `strobe script` for a recording of `stat record`: the counts of each round, a line per event and place.
 */
#pragma once
#include "base/out.h"
#include "counter/recording.h"

/* Starts zeroed. Strings are the env's. */
struct dump_counts {
	struct recording recording;
	bool is_open, has_heading;
};

/* Reads one record of the stream, and prints the counts at the end of a round. */
struct strobe_error *dump_counts_record(struct dump_counts *c, struct out *out, const struct env *env, struct record r,
					bool json) _must_check_;
void dump_counts_close(struct dump_counts *c);
