/*
 * Output of an option table: usage, -h, the list for completion, and the rows of a man page.
 *
 * Everything is written to the caller's out. The layout is perf's: a row begins at column 4, its
 * text at column 26.
 */
#pragma once
#include <stdbool.h>

#include "base/out.h"
#include "cli/options.h"

/* " Usage: strobe report [<options>]", one line for each entry of usage (NULL-terminated). */
void help_usage(struct out *o, const char *program, const char *const *usage);
/* All rows that are not hidden: sorted by short name, then by long name, if the table has no headings. */
void help_options(struct out *o, const struct option *table);
/*
 * The rows that match any of the words: a letter is a short name, -x or --name that option, anything else is searched in names and
 * texts, ignoring case. False: none.
 */
bool help_matching(struct out *o, const struct option *table, const char *const *words, int n);
void help_row(struct out *o, const struct option *option);
/* "--all --NAME … " on one line. */
void help_list_opts(struct out *o, const struct option *table);
/* The rows in roff (man(7)): .TP entries and .SS headings. */
void help_man_options(struct out *o, const struct option *table);
