/*
 * What `strobe script` prints of a recording by `stat record`: the counts of each round, a line for each event and place.
 */
#pragma once
#include "base/out.h"
#include "counter/recording.h"

/* A zeroed one has read nothing. Strings are the env's. */
struct dump_counts {
	struct recording recording;
	bool is_open, has_heading;
};

/* Takes in one record of the stream, and prints the counts where it ends a round. */
struct strobe_error *dump_counts_record(struct dump_counts *c, struct out *out, const struct env *env, struct record r,
					bool json) _must_check_;
void dump_counts_close(struct dump_counts *c);
