/*
 * One recording or profile of a comparison, from its path to its rows.
 *
 * Read in the same way as by `report`. The struct must not move between read and close; it borrows the strings of the request. One
 * thread. Damage and losses are reported to the host.
 */
#pragma once
#include "session/report/report_session.h"

struct diff_input {
	const char *path;
	struct report_session report;
	struct report_built built;
};

/* Call diff_input_close() in any case. */
struct strobe_error *diff_input_read(struct diff_input *in, const struct session_host *host, const struct report_request *request,
				     const char *path) _must_check_;
void diff_input_close(struct diff_input *in);
/* The part with the same event as another input's part: by name or, if both have only one event, that one. NULL: none. */
const struct report_part *diff_input_part(const struct diff_input *in, const struct diff_input *other, const struct report_part *of);
