/*
 * One counting: the counters of a target, a command that runs meanwhile, and the waiting in between.
 *
 *	struct counting c = { .host = host, .sys = sys, .target = target, .argv = argv, .argc = argc };
 *	TRY(target_resolve(sys, &c.target, …, &c.map));
 *	counter_init(&c.set, …);
 *	TRY(counting_open(&c, &signals, workload));
 *	TRY(counting_run(&c));		// as often as you like; readings are in c.set
 *	counting_close(&c);
 *
 * The owner of the struct creates and destroys map and set, and keeps all else that it points to until counting_close(). Times are seconds.
 * One thread at a time.
 */
#pragma once
#include "capture/control.h"
#include "capture/target.h"
#include "capture/workload.h"
#include "counter/counter.h"
#include "session/host.h"

struct counting_settings {
	uint64_t interval_ms;     /* 0: no intervals */
	uint64_t interval_count;  /* 0: no end */
	uint64_t timeout_ms;      /* 0: none */
	int64_t delay_ms;         /* -1: until --control enables the counters */
	const char *control;      /* the argument of control_open(); or NULL */
	bool quiet;               /* messages about background work are logged instead of printed */
};

struct counting_hooks {
	/* Called for each interval, after its reading: time since the start, and length. */
	struct strobe_error *(*interval)(void *ctx, double time_s, double length_s);
	/* Called when the descriptor of a reader of the counts is readable. */
	struct strobe_error *(*request)(void *ctx);
	int request_fd;
	void *ctx;
};

struct counting {
	const struct session_host *host;
	const struct sys *sys;
	struct counting_settings settings;
	struct target target;
	struct target_map map;
	struct counter_set set;
	struct counting_hooks hooks;
	struct control control;
	const struct signals *signals;    /* open, with SIGCHLD; any other ends it */
	struct workload_options workload; /* how to start a command */
	char *const *argv;                /* of the command, ended by NULL; argc 0: none */
	int argc;
	bool counts_command;              /* count the command's events, not only its time */

	/* Of the last run, or of the one in progress: */
	double start_s;
	double elapsed_s, user_s, system_s;
	int status;                       /* of wait(2); 0 without a command */
	bool timed_out;
	int signal;                       /* that ended it; 0: none */
	uint64_t intervals;
};

struct strobe_error *counting_open(struct counting *c, const struct signals *signals, struct workload_options workload) _must_check_;
/* Starts the command, counts, and waits until it has ended. */
struct strobe_error *counting_run(struct counting *c) _must_check_;
/* Whether it ended after interval_count intervals. */
bool counting_is_complete(const struct counting *c);
/* Takes readings without effect on intervals, and calls fn with these in the set's slots. */
struct strobe_error *counting_peek(struct counting *c, struct strobe_error *(*fn)(void *ctx), void *ctx) _must_check_;
/* Leaves a process that closes tracepoints, since the kernel takes long for that. */
void counting_close(struct counting *c);
