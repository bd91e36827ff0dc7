/*
 * `strobe stat record` and `strobe stat report`: counts kept in a perf.data file, and shown from one.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/stat/options.h"
#include "counter/recording.h"

struct stat_recorder {
	struct env *env;
	struct writer *writer;
	bool begun;
};

/* Creates the file (perf.data without a name) and says what will be in it. */
struct strobe_error *stat_recorder_open(struct stat_recorder *r, const struct stat_options *o, const struct sys *sys,
					const struct counter_set *set) _must_check_;
struct strobe_error *stat_recorder_add(struct stat_recorder *r, const struct counter_set *set, double time_s, bool final) _must_check_;
struct strobe_error *stat_recorder_finish(struct stat_recorder *r) _must_check_;
void stat_recorder_close(struct stat_recorder *r);

/* The whole of `stat report`; the exit status. */
int stat_report(struct cmd_context *ctx, struct stat_options *o);
