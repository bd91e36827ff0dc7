/*
 * What the files of `strobe report` share: its options, and where a report goes.
 */
#pragma once
#include "cmd/cmd.h"
#include "view/recorded/printing.h"

struct report_options {
	struct report_request request; /* but for its program and purpose */
	struct recorded_print_options print; /* but for its colours and what draws */
	/* Where it goes */
	const char *flamegraph, *html;
	enum colour_when colour;
	const char *http;        /* the address of --web, or NULL */
	const char *diff_base;   /* what --html and --web compare with */
	bool web;
	bool stdio, tui;
	bool list_keys;
};

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
