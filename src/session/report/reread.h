/*
 * Reads a recording again for data that its first profile does not have: without stacks, and with only the labels that filters need.
 *
 * It borrows the source of the first session, whose machine, names and profile are unchanged. One at a time: each rewinds the source.
 * ERROR_UNSUPPORTED for streams.
 */
#pragma once
#include "session/report/report_session.h"

/* how: a copy of *r with other settings to distinguish rows. Call report_reread_end() in any case; ret must not move in between. */
struct strobe_error *report_reread_begin(const struct report_session *r, const struct report_session *how, struct report_session *ret)
	_must_check_;
void report_reread_end(struct report_session *again);

/* Reads everything. Damage was reported when the recording was first read. The caller destroys the profile. */
struct strobe_error *report_reread(const struct report_session *r, const struct report_session *how, struct profile **ret) _must_check_;
/* The same, with frames separated by address. */
struct strobe_error *report_count_addresses(const struct report_session *r, struct profile **ret) _must_check_;
