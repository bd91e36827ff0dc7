/* `record --on HOST`: the same recording, made on another machine and brought back. */
#pragma once
#include "cmd/cmd.h"
#include "cmd/record/options.h"

/* Records there, and opens the report where both ends are a terminal. Returns the exit status. */
int record_on_host(struct cmd_context *ctx, const struct record_options *o);
