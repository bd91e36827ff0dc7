/*
 * The memory accesses of a recording, one line each, as `mem report -D` prints them.
 */
#pragma once
#include "base/out.h"
#include "session/host.h"
#include "session/sample_choice.h"

struct access_dump_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	struct sample_choice choice;
	const char *separator; /* NULL: a blank */
	bool physical, page_size, hide_unresolved;
};

/* Complete records are written in any case. */
struct strobe_error *access_dump(struct out *out, const struct access_dump_request *q) _must_check_;
