/*
 * Option tables: one row makes the parser, -h, the man page's synopsis and the shell completion.
 *
 * Parsing follows perf: clustered short options (-ag, -ns comm, -F99), --name=value and --name value, --no-NAME for every boolean,
 * unique prefixes of long names, optional values only as -xVALUE or --name=VALUE, the end at "--" or at the first word that is not
 * an option. Values go into the command's own options struct at `offset`.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum option_kind {
	OPTION_GROUP,   /* a heading in -h: help is its text */
	OPTION_BOOL,    /* bool; --no-NAME clears it */
	OPTION_OFF,     /* bool with the opposite meaning: --NAME clears it, --no-NAME sets it */
	OPTION_COUNT,   /* unsigned; each one adds 1 (-vv); --no-NAME sets 0 */
	OPTION_STRING,  /* const char * into argv */
	OPTION_U64,     /* uint64_t */
	OPTION_I64,     /* int64_t */
	OPTION_F64,     /* double */
	/* parse() gets the value (NULL for --no-NAME or a missing optional value) and the field, or all options if offset is 0 */
	OPTION_CALL,
	OPTION_TABLE,   /* the rows of another table, in this place; see OPTIONS_OF() */
};

struct option {
	enum option_kind kind;
	char short_name;        /* or 0 */
	const char *long_name;  /* or NULL */
	size_t offset;          /* of the field in the options struct */
	const char *arg;        /* the value in -h: "freq|max"; NULL: OPTION_CALL without a value */
	const char *help;
	struct strobe_error *(*parse)(void *field, const char *value, bool negated);
	bool optional_arg;      /* value only as -xVALUE or --name=VALUE */
	/* The value if an optional one is not given; or if a mandatory one is missing because no suitable word follows. */
	const char *default_arg;
	bool hidden;            /* accepted, not shown */
	size_t set_offset;      /* offset of a bool that is set if the option was given; 0: none */
	const struct option *rows; /* OPTION_TABLE */
};

#define OPTIONS_END { .kind = OPTION_GROUP, .help = NULL }
/*
 * Rows that several commands share: offsets of `table` are relative to a struct at offset `at` of the command's, which its parse()
 * functions get. Such tables cannot be nested.
 */
#define OPTIONS_OF(table, at) { OPTION_TABLE, .offset = (at), .rows = (table) }

/*
 * Iterates over the rows of a table, including those of tables within it:
 *
 *	for (struct option_walk w = option_walk(table); option_next(&w);)
 *		w.row …
 */
struct option_walk {
	const struct option *row;
	size_t base;                        /* offset of the struct that the row's offsets are relative to */
	const struct option *next, *outer;  /* outer: where to continue after a nested table; or NULL */
};
struct option_walk option_walk(const struct option *table);
bool option_next(struct option_walk *w);
bool option_takes_value(const struct option *o);

struct options_result {
	int argc;      /* the rest, from the first non-option on; "--" removed */
	char **argv;   /* without permute: after the words of the options, and the "--" */
	char **typed;  /* without permute: the words of the options, up to the "--" or argv */
	bool help;     /* -h or --help was given; the rest are then keywords for help */
	bool manual;   /* it was --help: show the manual page instead of the table */
	const char *help_keyword; /* -h KEYWORD: rows that contain it; or NULL */
	bool had_dashes; /* the rest follows "--" */
	bool list_opts;  /* --list-opts: print only the names of all options, for completion */
	const struct option *at_fault; /* with ERROR_USAGE: the row whose value was wrong, or NULL */
};

/*
 * argv[0] is the command's own name and is skipped; argv is reordered in place. ERROR_USAGE names the wrong word, and the nearest
 * option if one is near. If an option is repeated, the last one counts, except for OPTION_COUNT and parse() functions that collect
 * values. --no-NAME sets strings to NULL and numbers to 0; the negation of an option whose name begins with "no-" is the name
 * without it. OPTION_CALL parse() returns a sentence about the value, which is prefixed by the option's name here. permute: options
 * may also follow other words (report, script); without it parsing ends at the first word (record CMD).
 */
struct strobe_error *options_parse(const struct option *table, void *options, int argc, char **argv, bool permute,
				   struct options_result *ret) _must_check_;

/*
 * For tables whose long options may have one dash, as in Go programs: "-name" becomes "--name", and for booleans "-name=true" and
 * "-name=false" become "--name" and "--no-name". The new words are in the arena, which must outlive the options.
 */
void options_double_dashes(const struct option *table, struct arena *words, int argc, char **argv);
