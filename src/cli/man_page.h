/*
 * Manual pages: made from a template and the tables of the parser, and shown by man(1).
 */
#pragma once
#include "base/out.h"
#include "cli/options.h"

struct man_page {
	const char *program;
	const char *const *usage; /* lines after the program's name, ended by NULL */
	const struct option *options;
	const char *version;
	void (*commands)(struct out *out); /* .TP entries */
	/* The options of a subcommand, by its name; NULL: unknown. */
	const struct option *(*options_of)(const void *ctx, const char *name, size_t n);
	const void *ctx;
};

/*
 * Fills a template: its lines @SYNOPSIS@, @OPTIONS@, @OPTIONS subcommand@ and @COMMANDS@ are replaced, and @VERSION@ anywhere, at
 * most once per line.
 */
void man_page_fill(struct out *out, const struct man_page *page, const char *text, size_t n);
/*
 * Shows a page ("strobe-record"): the one near the program (its path, or NULL), in a build directory or a prefix that man does not
 * search, else the one that man finds. False: the page or man is missing.
 */
bool man_page_show(const char *page, const char *program_path);
