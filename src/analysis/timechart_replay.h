/*
 * Makes the chart of a recording of `timechart record`, or of any with switches.
 *
 *	err = timechart_replay_run(&request, &chart);    on an error, the chart has the complete part
 *
 * The call initializes the chart; the caller deinits it in any case. One thread.
 */
#pragma once
#include "session/host.h"
#include "session/session.h"
#include "table/time_chart.h"

struct timechart_replay_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	struct symbols_options symbols;
	uint64_t io_min_ns, io_merge_ns; /* as in analysis/timechart_states.h */
	bool by_topology; /* order CPUs by core */
	/* All states of threads, also from context-switch records and waits, for pages; else those of perf's charts. */
	bool all_states;
};

/* Nanoseconds as a bare number, or 10us, 5ms, 1s, as in perf. */
struct strobe_error *timechart_time_parse(const char *text, uint64_t *ret_ns) _must_check_;

/* Whether a recording has states of threads. */
bool timechart_has_states(const struct env *env);

struct strobe_error *timechart_replay_run(const struct timechart_replay_request *q, struct time_chart *ret) _must_check_;
