/*
 * One session of `strobe stat`: the counters, the workload, and the waiting in between.
 */
#pragma once
#include <signal.h>

#include "capture/control.h"
#include "capture/workload.h"
#include "cmd/cmd.h"
#include "cmd/signals.h"
#include "cmd/stat/options.h"
#include "counter/counter.h"
#include "counter/stats.h"

struct stat_session;

struct stat_hooks {
	/* Each interval, after its reading: time since the beginning and length. */
	struct strobe_error *(*interval)(struct stat_session *s, double time_s, double length_s);
	/* --prometheus: the descriptor of whoever asks, and what to do when it is readable. */
	struct strobe_error *(*asked)(struct stat_session *s);
	int asked_fd;
	void *ctx;
};

struct stat_session {
	struct cmd_context *ctx;
	const struct stat_options *options;
	const struct sys *sys;
	struct target target;          /* as settled by cmd_stat.c */
	struct target_map map;
	struct counter_set set;
	struct stat_hooks hooks;
	struct control control;
	struct cmd_signals signals;
	char **argv;                   /* of the command; argc 0: none */
	int argc;
	bool counts_command;           /* the command is what is counted, not only how long */

	/* Of the last run, or of the one that goes on: */
	double start_s;
	double elapsed_s, user_s, system_s;
	int status;                    /* of wait(2); 0 without a command */
	bool timed_out;
	int signal;                    /* that was sent to us; 0 = none */
	uint64_t intervals;
};

struct strobe_error *stat_session_open(struct stat_session *s) _must_check_;
/* Starts the command, counts, waits until it is over; readings are in the set. */
struct strobe_error *stat_session_run(struct stat_session *s) _must_check_;
/* Readings as they are at this moment, for somebody in between: intervals do not notice. fn sees the slots. */
struct strobe_error *stat_session_peek(struct stat_session *s, struct strobe_error *(*fn)(void *ctx), void *ctx) _must_check_;
void stat_session_close(struct stat_session *s);
