/*
 * `sched replay`: repeats the scheduling of a recording with as many threads: they run for the recorded times, sleep, and wake each other
 * in the same order.
 *
 *	TRY(sched_replay_read(&request, &r));    *ret in any case
 *	sched_replay_put_plan(r, out);
 *	TRY(sched_replay_run(r, out));
 *	sched_replay_destroy(r);
 *
 * A line is written after each repetition, not a table at the end; JSON and CSV are rows of sched_rows.h.
 * One thread; the threads that it starts have ended when its functions return. Source of the rules and texts: perf 7.2.
 */
#pragma once
#include "analysis/sched/sched_rows.h"
#include "analysis/sched/sched_source.h"
#include "base/out.h"

struct sched_replay_request {
	struct sched_source_request source;
	uint64_t repeat;          /* number of repetitions; 0: until the process is killed */
	enum table_format format; /* of the repetitions */
};

struct sched_replay;

struct strobe_error *sched_replay_read(const struct sched_replay_request *q, struct sched_replay **ret) _must_check_;
void sched_replay_destroy(struct sched_replay *r);
/* Measures the accuracy of clock and sleep of this machine; prints it in text only, as the plan. */
void sched_replay_calibrate(struct sched_replay *r, struct out *out);
/* Prints the numbers of steps by kind, and by thread. */
void sched_replay_put_plan(const struct sched_replay *r, struct out *out);
/* ERROR_LIMIT if not all threads can be started. */
struct strobe_error *sched_replay_run(struct sched_replay *r, struct out *out) _must_check_;
