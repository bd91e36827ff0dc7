/*
 * What strobe flamegraph does once its options are known: reads, compares, and writes a picture, a page or folded stacks.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/flamegraph/options.h"

/* The status of the command; what is wrong has been said. */
int flamegraph_draw(struct cmd_context *ctx, struct flamegraph_command *o);
