/* strobe report, from its options to its exit status. */
#pragma once
#include "cmd/report/report.h"

int report_run(struct cmd_context *ctx, struct report_options *o);
