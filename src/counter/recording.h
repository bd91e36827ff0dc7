/*
 * Counts as records, written by `stat record` and read by `stat report`.
 *
 * A recording has the counted threads and CPUs, the way counts were shown, and for each reading a STAT record per slot, then a
 * STAT_ROUND with its time; counts are cumulative. Source: perf.data-file-format.txt, tools/lib/perf (PERF_RECORD_STAT_*).
 */
#pragma once
#include "base/error.h"
#include "counter/counter.h"
#include "record/env.h"
#include "record/source.h"
#include "sys/cpus.h"
#include "table/counts.h"

/*
 * Adds the set's events to env, each with the ID index + 1. is_stream: perf script reads a stream of counts only if its events
 * declare that there are no samples.
 */
void recording_describe(struct env *env, const struct counter_set *set, bool is_stream);
/* Writes the target, and how counts are shown. */
struct strobe_error *recording_begin(struct record_sink *sink, const struct counter_set *set, enum counts_by by, uint64_t interval_ms,
				     bool scale) _must_check_;
/* Writes the last readings and their round: of an interval, or final. */
struct strobe_error *recording_add(struct record_sink *sink, const struct counter_set *set, uint64_t time_ns, bool final) _must_check_;

/* A recording being read. */
struct recording {
	struct event_list events;
	struct target_map map;
	struct counter_set set;       /* its slots are filled round by round */
	struct sys_topology topology; /* of the recorded machine */
	enum counts_by by;
	uint64_t interval_ms;
	bool scale;
	bool started;                 /* the set has been created */
	uint64_t time_ns;             /* of the last round */
	bool final;
};

void recording_open(struct recording *r);
/* Reads one record of the stream; records that are not about counts are skipped. *ret_round: it ended a round. */
struct strobe_error *recording_take(struct recording *r, struct record record, const struct env *env, bool *ret_round) _must_check_;
/*
 * Reads up to the next round of the source, which owns the recording's strings; *ret_end if there is none. ERROR_FORMAT if the
 * source has no counts.
 */
struct strobe_error *recording_next(struct recording *r, struct record_source *source, bool *ret_end) _must_check_;
void recording_close(struct recording *r);
