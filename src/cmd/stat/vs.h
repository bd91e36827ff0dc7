/*
 * `strobe stat --vs`: two commands measured in turn, and what differs between them.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/stat/options.h"

/* Runs and shows it all; the exit status. Options are checked already. */
int stat_versus(struct cmd_context *ctx, struct stat_options *o);
