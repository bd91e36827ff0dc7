/*
 * A run of `strobe trace`: the command, signals and the output; lines come from tracing/live and tracing/replay.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/trace/options.h"

/* Runs the trace; returns the exit status. */
int trace_run(struct cmd_context *ctx, const struct trace_options *o);
/* The same for -i, a recording. */
int trace_replay(struct cmd_context *ctx, const struct trace_options *o);
/* trace record: a recording of system calls, by the command record. argv: from that word on. */
int trace_record(struct cmd_context *ctx, const struct trace_options *o, int argc, char **argv);
