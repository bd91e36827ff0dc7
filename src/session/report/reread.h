/*
 * A recording that was read, read once more for what its first profile does not have: without stacks, and with no labels of rows but
 * those that filters read.
 *
 * A rereading borrows the source of the first session, whose machine, names and profile stay as they are. One at a time: each begins
 * the source anew. ERROR_UNSUPPORTED for streams.
 */
#pragma once
#include "session/report/report_session.h"

/* how is *r but for what separates rows. report_reread_end() in any case; ret must not move in between. */
struct strobe_error *report_reread_begin(const struct report_session *r, const struct report_session *how, struct report_session *ret)
	_must_check_;
void report_reread_end(struct report_session *again);

/* All of it. Damage was reported when the recording was read first. The caller destroys the profile. */
struct strobe_error *report_reread(const struct report_session *r, const struct report_session *how, struct profile **ret) _must_check_;
/* The same, with frames separated by address. */
struct strobe_error *report_count_addresses(const struct report_session *r, struct profile **ret) _must_check_;
