/*
 * Shared by the files of `strobe report`: its options, and its outputs.
 */
#pragma once
#include "cmd/cmd.h"
#include "view/recorded/printing.h"

struct report_options {
	struct report_request request; /* except its program and purpose */
	struct recorded_print_options print; /* except its colours and draw() */
	/* Outputs */
	const char *flamegraph, *html;
	enum colour_when colour;
	const char *http;        /* the address of --web, or NULL */
	const char *diff_base;   /* the base of comparison of --html and --web */
	bool web;
	bool stdio, tui;
	bool list_keys;
};

/* Whether the output is a picture or page instead of a table. */
static inline bool report_draws(const struct report_options *o)
{
	return o->flamegraph || o->html || o->web;
}

/* Whether the output is a page, which needs threads, times and lines. */
static inline bool report_pages(const struct report_options *o)
{
	return o->html || o->web;
}

/* Runs strobe report; returns its exit status. */
int report_run(struct cmd_context *ctx, struct report_options *o);
