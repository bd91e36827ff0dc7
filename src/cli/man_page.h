/*
 * Manual pages: made of a template and the tables that also make the parser, and shown by man(1).
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
	/* The options of a subcommand, by its name; NULL: there is none of that name. */
	const struct option *(*options_of)(const void *ctx, const char *name, size_t n);
	const void *ctx;
};

/*
 * Fills a template: its lines @SYNOPSIS@, @OPTIONS@, @OPTIONS subcommand@ and @COMMANDS@ are replaced, and @VERSION@, once a line,
 * anywhere.
 */
void man_page_fill(struct out *out, const struct man_page *page, const char *text, size_t n);
/*
 * Shows a page ("strobe-record"): that beside the program (its path, or NULL), in a build directory or a prefix that man does not
 * search, else the one that man finds. False where the page or man is missing.
 */
bool man_page_show(const char *page, const char *program_path);
