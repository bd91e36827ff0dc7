/* The options of `diff`: which files are compared, by which figure, how. */
#pragma once
#include "cmd/cmd.h"
#include "diff/diff.h"
#include "table/format.h"

struct diff_options {
	struct report_request request;
	struct diff_layout layout;
	const char *before, *after; /* several runs of each side: patterns of file names, divided by commas */
	const char *fail_over;      /* "3%": a row that grew by more is a failure */
	const char *format_name, *flamegraph, *html;
	uint64_t order;
	enum colour_when colour;
	bool dump, screen, normalize;
	/* Settled. */
	enum table_format format;
	double fail_percent;        /* 0: growth is no failure */
	struct arena arena;
	struct diff_sources sources;
};

extern const struct option diff_option_table[];
void diff_options_defaults(void *options);
void diff_options_release(void *options);
/* From options and words to settings; the words are the files. */
struct strobe_error *diff_options_settle(struct diff_options *o, int argc, char *const *argv) _must_check_;
