/* Settings of traces that cannot be combined: ERROR_USAGE names the options of `trace` that say so. */
#pragma once
#include "tracing/live/live.h"

/* has_histograms: the summary has them. */
struct strobe_error *live_trace_check(const struct trace_selection *s, const struct trace_summary *sums,
				      const struct live_trace_options *live, bool has_histograms) _must_check_;
/* What recordings do not have. with_totals: statistics of the trace itself were requested. */
struct strobe_error *live_trace_check_replay(const struct trace_selection *s, const struct trace_summary *sums,
					     const struct live_trace_options *live, bool with_totals) _must_check_;
