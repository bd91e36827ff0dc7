/*
 * Which events `strobe stat` counts: those named, the defaults, what metrics need, once for each cgroup.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/stat/options.h"
#include "counter/counter.h"
#include "counter/metrics.h"

/* Extends o->events; metrics are added to the set, with the user's own definitions ([metric] in the settings). */
struct strobe_error *stat_choose_events(struct cmd_context *ctx, struct stat_options *o, const struct sys *sys,
					const struct target *target, struct metric_set *metrics) _must_check_;
/* How they are opened; counts_command: the command is what is counted, and its exec the beginning. */
struct counter_options stat_counter_options(const struct stat_options *o, bool counts_command);
