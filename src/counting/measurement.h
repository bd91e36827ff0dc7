/*
 * A measurement of `stat`: countings of a target, once or repeatedly, gathered in tallies and shown as count listings.
 *
 *	struct measurement m = { .settings = …, .host = host, .metrics = &metrics, .show = show, .ctx = ctx };
 *	TRY(measurement_prepare(&m, events, target, argv, argc));
 *	TRY(counting_open(&m.counting, &signals, workload));
 *	TRY(measurement_run(&m));		// intervals are shown meanwhile
 *	measurement_show(&m);			// all runs since the last measurement_clear()
 *	measurement_close(&m);			// in any case
 *
 * Events, metrics, argv and all strings of the settings are borrowed until measurement_close(). Closing one that was not prepared
 * does nothing. One thread at a time.
 */
#pragma once
#include "counter/metrics.h"
#include "statistics/stats.h"
#include "counter/tally.h"
#include "counting/choice.h"
#include "counting/counting.h"
#include "counting/exposition.h"
#include "counting/counts_recorder.h"

struct measurement_settings {
	struct counting_settings counting;
	struct event_choice choice;
	struct counter_options counters;
	struct tally_options tally;
	bool all_threads;          /* the target is each thread of the system */
	bool metrics_only;
	bool verbose;              /* raw numbers of each event, and events that this machine lacks */
	bool sync;                 /* sync(2) before each run */
	bool no_bpf;               /* system calls are counted with one event each */
	const char *pre, *post;    /* shell commands before and after each run; or NULL */
	const char *recording;     /* the file to write counts to; or NULL */
	const char *exposition;    /* the argument of exposition_open(); or NULL */
	void (*expose)(struct out *out, const struct counts *c); /* writes the text of an exposition */
};

struct measurement {
	struct measurement_settings settings;
	const struct session_host *host;
	struct metric_set *metrics;                /* with the user's definitions */
	void (*show)(void *ctx, struct counts *c); /* counts of an interval or of all runs, valid during the call */
	void *ctx;

	struct counting counting;
	char *target;              /* of titles: see target_title() */
	struct tally tally;        /* to be shown next */
	struct tally whole;        /* of all intervals, for their summary */
	struct tally exposed;
	struct exposition exposition;
	struct counts_recorder *recorder;
	struct stats elapsed, user, system;
	VEC(double) elapsed_each;
	bool notes_shown, is_prepared;
};

/*
 * Completes the events and makes the counters. An empty target is the command.
 */
struct strobe_error *measurement_prepare(struct measurement *m, struct event_list *events, const struct sys *sys, struct target target,
					 char *const *argv, int argc) _must_check_;
struct strobe_error *measurement_run(struct measurement *m) _must_check_;
/* Shows the runs: their mean, or the sum of the intervals. */
void measurement_show(struct measurement *m);
void measurement_clear(struct measurement *m);
void measurement_close(struct measurement *m);

/* "'system wide'", "process id '12'", "'make -j2'"; owned by the caller. */
char *target_title(const struct target *t, char *const *argv, int argc);
