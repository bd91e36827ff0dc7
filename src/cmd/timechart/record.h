#pragma once
#include "cmd/cmd.h"

struct timechart_events {
	bool power_only, tasks_only, io_only;
};

/* argv[0] is the subcommand; -P, -T and -I, then options of record and a command. */
int timechart_record(struct cmd_context *ctx, struct timechart_events events, int argc, char **argv);
