/*
 * The options of `strobe stat`, parsed.
 */
#pragma once
#include "capture/target.h"
#include "cli/options.h"
#include "counting/measurement.h"
#include "event/event.h"
#include "view/counts/counts_writer.h"

struct stat_options {
	const struct sys *sys;     /* whose events are named: sys_live() by default */
	struct event_list events;
	size_t last_event;         /* where the events of the last -e begin */
	struct target target;
	struct measurement_settings measure; /* what options say; stat_options_settle() derives the rest */

	uint64_t runs;             /* 0: forever */
	bool summary;
	unsigned verbose;
	bool per_thread;

	struct counts_form form;
	const char *format;
	const char *output;
	bool append;
	int64_t log_fd;            /* -1: none */

	const char *versus;        /* --vs */
	bool record, report;       /* stat record, stat report */
	const char *input;         /* of stat report */
};

extern const struct option stat_option_table[];
extern const struct option stat_report_option_table[];
void stat_options_defaults(void *options);
void stat_options_deinit(void *options);
/* Completes the target and o->measure. argc: words of the command. */
void stat_options_settle(struct stat_options *o, int argc);
