/* Checks settings of traces that cannot be combined: ERROR_USAGE names the options of `trace`. */
#pragma once
#include "tracing/live/live.h"

/* has_histograms: the summary has them. */
struct strobe_error *live_trace_check(const struct trace_selection *s, const struct trace_summary *sums,
				      const struct live_trace_options *live, bool has_histograms) _must_check_;
/* Implied settings: limits on stacks enable call graphs, and scheduler times require a summary. */
struct strobe_error *live_trace_settle(const struct trace_selection *s, struct trace_summary *sums, struct live_trace_options *live)
	_must_check_;
/* Settings that recordings do not support. with_totals: statistics of the trace itself were requested. */
struct strobe_error *live_trace_check_replay(const struct trace_selection *s, const struct trace_summary *sums,
					     const struct live_trace_options *live, bool with_totals) _must_check_;
