/* What bench and its benchmarks share. */
#pragma once
#include "bench/bench.h"
#include "cmd/cmd.h"

struct bench_options {
	struct bench_settings settings;
	const char *format;
	bool has_repeat, has_loops;
};

/* "bench sched pipe" and the others, ended by NULL. */
extern const struct cmd *const bench_subcommands[];

/* The run() of each of them. */
int bench_subcommand_run(struct cmd_context *ctx, void *options);
