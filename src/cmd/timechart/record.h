#pragma once
#include "analysis/recorded_events.h"
#include "cmd/cmd.h"

/* argv[0] is the subcommand; -P, -T and -I, then options of record and a command. */
int timechart_record(struct cmd_context *ctx, struct timechart_events choice, int argc, char **argv);
