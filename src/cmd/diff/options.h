/* The options of `diff`: the files to compare, by which figure, and how. */
#pragma once
#include "cmd/cmd.h"
#include "diff/diff.h"
#include "table/format.h"

struct diff_options {
	struct report_request request;
	struct diff_layout layout;
	const char *before, *after; /* several runs of each side: patterns of file names, separated by commas */
	const char *fail_over;      /* "3%": rows that grew by more are a failure */
	const char *format_name, *flamegraph, *html;
	uint64_t order;
	enum colour_when colour;
	bool dump, screen, normalize, streams;
	/* Set by diff_options_settle(). */
	enum table_format format;
	double fail_percent;        /* 0: growth is not a failure */
	struct arena arena;
	struct diff_sources sources;
};

extern const struct option diff_option_table[];
void diff_options_defaults(void *options);
void diff_options_release(void *options);
/* Derives settings from options and arguments, which are the files. */
struct strobe_error *diff_options_settle(struct diff_options *o, int argc, char *const *argv) _must_check_;
