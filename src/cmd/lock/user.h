/* `lock contention --user`: waits for locks of programs, of a recording or of the running system. */
#pragma once
#include "cmd/cmd.h"
#include "cmd/lock/options.h"

/* command NULL: none. Returns the exit status. */
int lock_user(struct cmd_context *ctx, const struct lock_options *o, char *const *command);
