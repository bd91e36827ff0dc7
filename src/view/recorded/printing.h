/*
 * Prints a recording: its header, then its report as text, JSON or CSV, or in place of the report: records, their numbers, tasks.
 *
 * Functions write to the caller's out and keep nothing; messages go through the session's host. One thread.
 */
#pragma once
#include "session/report/report_session.h"

enum recorded_format { RECORDED_TEXT, RECORDED_JSON, RECORDED_CSV };

struct recorded_print_options {
	enum recorded_format format;
	bool header, header_only, full_header;
	/* In place of the report */
	bool stats, tasks, mmaps;
	bool raw, disable_order;      /* print every record; in the order of the file */
	bool total_cycles;            /* print blocks of code by cycles */
	bool show_reads, raw_reads;   /* after the report, print counts of threads (record -s); raw: one line each */
	struct report_text colours;   /* colours of text; other members are not used */
	/* Writes the profile in another form than rows, such as a picture or a page; NULL: rows. */
	struct strobe_error *(*draw)(void *ctx, struct report_session *r);
	void *ctx;
};

/* r must be open. If the recording is damaged, its complete records are printed, and the error says where it ends. */
struct strobe_error *recorded_print(struct report_session *r, const struct recorded_print_options *options, struct out *out) _must_check_;
