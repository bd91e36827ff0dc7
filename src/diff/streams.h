/*
 * The hottest streams of two recordings (session/report/streams.h), and which of them are the same: as `perf diff --stream`.
 *
 * Streams match if their paths do, place by place; each matches one at most. Reads the recordings of a finished diff again, each side of
 * which is one. One thread.
 */
#pragma once
#include "base/out.h"
#include "diff/diff.h"
#include "session/report/streams.h"

#define DIFF_STREAMS 5 /* of each side, per event: as many as in perf */

struct diff_streams {
	const struct diff *diff;
	struct report_streams *sides[2];
};

/* ERROR_USAGE: a recording has neither branch records nor call chains. Call diff_streams_deinit() in any case. */
struct strobe_error *diff_streams_read(struct diff_streams *s, const struct diff *d) _must_check_;
void diff_streams_deinit(struct diff_streams *s);
/* In perf's layout: pairs beside each other, then what only one recording has. */
void diff_streams_text(const struct diff_streams *s, struct out *out);
/* A row per pair, or stream of one recording, of all events. Call table_deinit(). */
void diff_streams_table(const struct diff_streams *s, struct table *ret);
