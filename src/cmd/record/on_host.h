/* `record --on HOST`: records on another machine and copies the recording back. */
#pragma once
#include "cmd/cmd.h"
#include "cmd/record/options.h"

/* Records there, and opens the report if input and output are a terminal. Returns the exit status. */
int record_on_host(struct cmd_context *ctx, const struct record_options *o);
