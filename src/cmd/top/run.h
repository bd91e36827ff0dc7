/*
 * A run of `strobe top`: a live profile (session/live), and the view that shows it (view/live).
 *
 * run.c opens it; stdio.c prints one report after the other, screen.c opens a screen. One thread.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/top/options.h"
#include "session/live/report.h"
#include "sys/signals.h"

struct top_run {
	struct cmd_context *ctx;
	struct top_options *o;
	struct live_report report;
	struct signals signals;
	int signal; /* that ended it, or 0 */
};

int top_run(struct cmd_context *ctx, struct top_options *o);

/* Takes pending signals; returns whether one of them ends the run. run: a struct top_run. */
bool top_take_signals(void *run);
/* Prints one report after the other, until the end. */
struct strobe_error *top_stdio(struct top_run *t) _must_check_;
/* *ret_shown: false if a screen is not available or was not requested. */
struct strobe_error *top_screen(struct top_run *t, bool *ret_shown) _must_check_;
