/* strobe report, from its options to its exit status. */
#pragma once
#include "cmd/report/report.h"

/* Where raw records are written to (-D). */
struct report_raw {
	struct out *out;
	const struct env *env;
	const char *name;
};

int report_run(struct cmd_context *ctx, struct report_options *o);
