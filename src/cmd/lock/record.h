/* `lock record`: the command record with the events of locks. */
#pragma once
#include "cmd/cmd.h"

int lock_record(struct cmd_context *ctx, int argc, char **argv);
