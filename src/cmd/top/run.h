/*
 * A run of `strobe top`: the session that counts, and the views that show it.
 *
 * run.c opens and drains the session and makes a report at each refresh; stdio.c prints it, or code (code.c); screen.c shows it.
 * One thread.
 */
#pragma once
#include <signal.h>

#include "bpf/count/event_counts.h"
#include "bpf/count/sample_counts.h"
#include "capture/session.h"
#include "cmd/signals.h"
#include "cmd/top/options.h"
#include "profile/history.h"
#include "recording/output.h"
#include "resolve/live.h"
#include "session/report/report_session.h"
#include "view/data/data.h"

/* Takes what comes out of the rings to the counters and, with --record, to a file. */
struct top_tee {
	struct record_sink sink;
	struct record_sink *counts, *file;
};

struct top_run {
	struct cmd_context *ctx;
	struct top_options *o;
	const struct sys *sys;
	struct event_set events;
	struct capture *capture;
	struct report_session report;
	struct resolve_live *live;
	struct top_counters *counters; /* in place of samples, or NULL; see counts.c */
	struct history history;
	struct record_output output; /* --record */
	bool has_output;
	struct top_tee tee;
	struct data_refresh refresh; /* the last one */
	uint64_t exact;              /* samples of it whose place is exact */
	uint64_t last_ns;            /* when it was */
	struct cmd_signals signals;
	int signal;                  /* that ended it, or 0 */
	bool disabled;               /* events, by the user */
	bool done, gone;             /* gone: everything that was watched has ended */
};

int top_run(struct cmd_context *ctx, struct top_options *o);

/* Reads what the rings hold. */
struct strobe_error *top_drain(struct top_run *t) _must_check_;
/* Reads what the rings hold, up to now, and makes it the last slice of the history. */
struct strobe_error *top_refresh(struct top_run *t) _must_check_;
/* A signal or the end of what is watched may end the session. */
void top_look_around(struct top_run *t);
uint64_t top_now_ns(const struct top_run *t);
uint64_t top_delay_ns(const struct top_run *t);
bool top_delay_is_sane(double seconds);
/* Which samples are counted, after hide_kernel or hide_user has changed. */
void top_set_filter(struct top_run *t);
/* From now on samples are told apart by address, as code wants them; what was counted before is forgotten the first time. */
void top_tell_addresses(struct top_run *t);
/* "PerfTop: …": rate, losses, event, target. */
void top_head(const struct top_run *t, struct strbuf *b);
/* The next report has at most so many rows of an event (0: all), and none with as few samples as -f says. */
void top_limit_rows(struct top_run *t, uint64_t entries);

/* How long rings may be left alone, and the next refresh waited for, in milliseconds. */
int top_wait_ms(const struct top_run *t, uint64_t refresh_ns);

/*
 * counts.c: lets the kernel add up samples, where that says the same as they would; else leaves t->counters empty, and the others
 * do nothing. Rings are drained between a turn and the reading, so that all tasks are known that were met up to the turn.
 */
struct top_counters;
void top_open_counts(struct top_run *t);
void top_close_counts(struct top_run *t);
void top_turn_counts(struct top_run *t);
void top_read_counts(struct top_run *t);
/* How long there may be room for more, as fast as it has been taken; 0: they are to be read, whether a refresh is due or not. */
uint64_t top_counts_room_ns(const struct top_run *t);
uint64_t top_uncounted(const struct top_run *t);
/* Events are counted, or sampled, or not. */
void top_enable(struct top_run *t, bool on);

/* code.c: the code of the function of --sym-annotate, as far as it was met; instructions with a smaller share are left out. */
struct strobe_error *top_print_code(struct top_run *t, const struct report *r, double least_percent, struct out *out) _must_check_;
/* All symbols of what was looked at, to standard error. */
void top_dump_symbols(const struct top_run *t);

/* One report after the other, until it is done. */
struct strobe_error *top_stdio(struct top_run *t) _must_check_;
/*
 * screen.c: the same on a screen. top_open_screen() says why there is none where one was wanted, and returns NULL.
 */
struct screen;
struct screen *top_open_screen(struct top_run *t);
struct strobe_error *top_browse(struct top_run *t, struct screen *screen) _must_check_;
