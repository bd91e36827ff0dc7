/* The subcommands of `sched`. */
#pragma once
#include "cmd/subcommand.h"

extern const struct cmd cmd_sched_latency, cmd_sched_map, cmd_sched_replay, cmd_sched_stats, cmd_sched_timehist;

int sched_record(struct cmd_context *ctx, int argc, char **argv);
