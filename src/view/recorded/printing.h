/*
 * A recording printed: its header, then its report as text, JSON or CSV; or what takes the place of the report: records, numbers of
 * them, tasks.
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
	bool raw, disable_order;      /* every record; in the order of the file */
	bool total_cycles;            /* blocks of code by their cycles */
	bool show_reads, raw_reads;   /* after the report: counts of threads (record -s); raw: one line each */
	struct report_text colours;   /* the escapes of text; its other members are not used */
	/* What is made of the profile in place of rows, a picture or a page; NULL: rows. */
	struct strobe_error *(*draw)(void *ctx, struct report_session *r);
	void *ctx;
};

/* r is open. Where the recording is damaged, what was whole is printed, and the error says what ended it. */
struct strobe_error *recorded_print(struct report_session *r, const struct recorded_print_options *options, struct out *out) _must_check_;
