/*
 * What the files of `strobe report` share: its options, and where a report goes.
 */
#pragma once
#include "cmd/cmd.h"
#include "session/report/report_session.h"

enum report_format { REPORT_STDIO, REPORT_JSON, REPORT_CSV };

struct report_options {
	struct report_request request; /* but for its program and purpose */
	/* Where it goes */
	const char *flamegraph, *html;
	enum report_format format;
	enum colour_when colour;
	bool total_cycles, disable_order, raw_reads;
	const char *http;        /* the address of --web, or NULL */
	const char *diff_base;   /* what --html and --web compare with */
	bool web;
	bool stdio, tui, show_threads;
	bool list_keys;
	bool header, header_only, full_header, stats, tasks, mmaps, raw;
};

/* Writes the picture; names are filtered as in the table. */
struct strobe_error *report_write_flamegraph(struct report_session *r, const char *path) _must_check_;
/* The same as a page of HTML, and served to a browser until it is interrupted. */
struct strobe_error *report_write_html(struct report_session *r, const struct report_options *o) _must_check_;
struct strobe_error *report_serve(struct report_session *r, struct cmd_context *ctx, const struct report_options *o) _must_check_;

/* Whether samples become pictures and not a table. */
static inline bool report_draws(const struct report_options *o)
{
	return o->flamegraph || o->html || o->web;
}

/* Whether they become a page: with threads, times and lines. */
static inline bool report_pages(const struct report_options *o)
{
	return o->html || o->web;
}

/* strobe report, from its options to its exit status. */
int report_run(struct cmd_context *ctx, struct report_options *o);
