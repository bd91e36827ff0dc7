/*
 * Counts as records: what `stat record` writes and `stat report` reads.
 *
 * A recording holds the threads and CPUs that were counted, how counts were shown, and for each reading a STAT record a
 * slot, closed by a STAT_ROUND with its time; counts go on from reading to reading. Source: perf.data-file-format.txt,
 * tools/lib/perf (PERF_RECORD_STAT_*).
 */
#pragma once
#include "base/error.h"
#include "counter/counter.h"
#include "record/env.h"
#include "record/source.h"
#include "sys/cpus.h"
#include "table/counts.h"

/*
 * Adds the set's events to env, each with an id of its own: its index and 1. is_stream: perf's script reads a stream of
 * counts only where its events say that there are no samples.
 */
void recording_describe(struct env *env, const struct counter_set *set, bool is_stream);
/* Who is counted, and how it is shown. */
struct strobe_error *recording_begin(struct record_sink *sink, const struct counter_set *set, enum counts_by by, uint64_t interval_ms,
				     bool scale) _must_check_;
/* The last readings, closed by a round: of an interval, or final. */
struct strobe_error *recording_add(struct record_sink *sink, const struct counter_set *set, uint64_t time_ns, bool final) _must_check_;

/* A recording that is read. */
struct recording {
	struct event_list events;
	struct target_map map;
	struct counter_set set;       /* its slots are filled round by round */
	struct sys_topology topology; /* of the recorded machine */
	enum counts_by by;
	uint64_t interval_ms;
	bool scale;
	bool started;                 /* the set is made */
	uint64_t time_ns;             /* of the last round */
	bool final;
};

void recording_open(struct recording *r);
/* Takes in one record of the stream; records that are not about counts are skipped. *ret_round: it ended a round. */
struct strobe_error *recording_take(struct recording *r, struct record record, const struct env *env, bool *ret_round) _must_check_;
/*
 * Reads on to the next round of the source, which the recording's strings stay with; *ret_end if there is none.
 * ERROR_FORMAT if there are no counts in it at all.
 */
struct strobe_error *recording_next(struct recording *r, struct record_source *source, bool *ret_end) _must_check_;
void recording_close(struct recording *r);
