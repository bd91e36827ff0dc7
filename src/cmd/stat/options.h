/*
 * The options of `strobe stat`, parsed.
 */
#pragma once
#include "cli/options.h"
#include "counting/request.h"
#include "event/event.h"
#include "view/counts/counts_writer.h"

struct stat_options {
	const struct sys *sys;     /* the system with the events: sys_live() by default */
	struct event_list events;
	size_t last_event;         /* index of the first event of the last -e */
	struct measurement_request request; /* runs, a target; stat_options_settle() adds the rest */
	struct measurement_settings measure; /* from options; stat_options_settle() derives the rest */

	bool summary;
	unsigned verbose;

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
/* Completes o->request and o->measure, unless options exclude each other. argc: words of the command. */
struct strobe_error *stat_options_settle(struct stat_options *o, int argc) _must_check_;
