/*
 * The options of `strobe stat`, parsed.
 */
#pragma once
#include "capture/target.h"
#include "cli/options.h"
#include "counting/measurement.h"
#include "event/event.h"

struct stat_options {
	const struct sys *sys;     /* whose events are named: sys_live() by default */
	struct event_list events;
	size_t last_event;         /* where the events of the last -e begin */
	struct target target;
	struct measurement_settings measure; /* what options say; stat_options_settle() derives the rest */

	uint64_t runs;             /* 0: forever */
	bool interval_clear, summary, no_csv_summary;
	unsigned verbose;
	bool quiet, per_thread;

	const char *separator;     /* -x, or NULL */
	bool json, json_document;
	const char *format;
	const char *output;
	bool append;
	int64_t log_fd;            /* -1: none */
	bool big_num, table;

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

/* The output is text for people. */
static inline bool stat_options_is_plain(const struct stat_options *o)
{
	return !o->separator && !o->json && !o->json_document;
}
