/*
 * The options of `strobe record`, parsed.
 */
#pragma once
#include "cmd/sampling_options.h"
#include "recording/choice.h"

struct record_options {
	struct sampling_options sampling;
	struct event_list switch_events;  /* --switch-output-event */
	struct recorder_options recorder; /* completed by the run */
	struct recorder_choice choice;

	const char *on; /* the machine to record on, as an argument of ssh; NULL: this one */
	bool quiet, dry_run;
	bool callgraph_by_g; /* -g: the mode may come from the settings */
	bool aio_set, debuginfod_set;
	bool list_intr_regs, list_user_regs;
};

extern const struct option record_option_table[];
void record_options_defaults(void *options);
void record_options_deinit(void *options);
