/*
 * Streams: the ways by which code came to where it was sampled, of the branches before each sample, or of its call chain without any.
 *
 * Samples of one stream have the same places in the same order, newest first, and the same place of their own. A place is a function and
 * a source line; of a line that is not known, the function alone. Branches are those of `report --branch-history`: a loop is kept once.
 */
#pragma once
#include "session/report/report_session.h"

struct stream_place {
	const char *function; /* or an address in hexadecimal digits */
	const char *line;     /* "file.c:12", or "??:0" */
};

/* Strings and places belong to the streams. */
struct report_stream {
	uint32_t event;
	uint64_t samples, period;
	uint64_t cycles; /* of an average run: the sum of its branches' averages, as in perf; 0: not counted */
	uint32_t own;    /* where it was sampled: an index of places, as those of the path */
	const uint32_t *path;
	uint32_t path_nr;
};

/* Reads the session's recording again. ERROR_USAGE: it has neither branch records nor call chains. */
struct report_streams;
struct strobe_error *report_read_streams(struct report_session *r, struct report_streams **ret) _must_check_;
void report_streams_destroy(struct report_streams *s);
struct stream_place report_stream_place(const struct report_streams *s, uint32_t place);
/* The period of all streams of a part's events. */
uint64_t report_streams_period(const struct report_streams *s, const struct report_part *part);
/* Its hottest ones, at most max, into ret; returns their number. */
uint32_t report_streams_hottest(const struct report_streams *s, const struct report_part *part, uint32_t max, struct report_stream *ret);
