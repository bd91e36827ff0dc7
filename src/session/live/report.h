/*
 * A live profile and its query, for `top`.
 *
 *	live_report_open(&r, &options, &request, by_address);
 *	live_record(), live_synthesize(), live_start() of r.live
 *	each time: live_refresh(&r.live); live_report_build(&r, r.live.history.profile, limits, &built); … report_built_deinit()
 *	live_report_close(&r);
 *
 * The struct must not move while it is open. Everything that options and request point to is borrowed. One thread.
 */
#pragma once
#include "session/live/live.h"
#include "session/report/report_session.h"

struct live_report {
	struct live_session live;
	struct report_session report;
};

/* by_address: distinguish rows by address from the start, for code. Call live_report_close() in any case. */
struct strobe_error *live_report_open(struct live_report *r, const struct live_options *options, const struct report_request *request,
				      bool by_address) _must_check_;
/* Does nothing to a zeroed struct. */
void live_report_close(struct live_report *r);
/* Builds rows of a profile of the live session: its history's, or a part of that. One report at a time. */
struct strobe_error *live_report_build(struct live_report *r, const struct profile *p, struct report_limits limits,
				       struct report_built *ret) _must_check_;
/* Distinguishes rows by address from now on: see live_separate_addresses(). */
void live_report_separate_addresses(struct live_report *r);
