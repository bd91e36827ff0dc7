/*
 * Option tables: one row makes the parser, -h, the man page's synopsis and the shell completion.
 *
 * Parsing follows perf: clustered short options (-ag, -ns comm, -F99), --name=value and --name value, --no-NAME
 * for every boolean, unique prefixes of long names, optional values only as -xVALUE or --name=VALUE, an end at "--" and at
 * the first word that is not an option. Values go into the command's own options struct at `offset`.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum option_kind {
	OPTION_GROUP,   /* a heading in -h: help is its text */
	OPTION_BOOL,    /* bool; --no-NAME clears it */
	OPTION_OFF,     /* bool that says what is left out: --NAME clears it, --no-NAME sets it */
	OPTION_COUNT,   /* unsigned; each one adds 1 (-vv); --no-NAME sets 0 */
	OPTION_STRING,  /* const char * into argv */
	OPTION_U64,     /* uint64_t */
	OPTION_I64,     /* int64_t */
	OPTION_F64,     /* double */
	/* parse() is given the value (NULL for --no-NAME or a missing optional value) and the field, or all options where none is named */
	OPTION_CALL,
	OPTION_TABLE,   /* the rows of another table, in this place; see OPTIONS_OF() */
};

struct option {
	enum option_kind kind;
	char short_name;        /* or 0 */
	const char *long_name;  /* or NULL */
	size_t offset;          /* of the field in the options struct */
	const char *arg;        /* what -h shows for the value: "freq|max"; NULL: OPTION_CALL without a value */
	const char *help;
	struct strobe_error *(*parse)(void *field, const char *value, bool negated);
	bool optional_arg;      /* value only as -xVALUE or --name=VALUE */
	/* Value when an optional one is not given; of one that is not optional, when no word follows that could be it. */
	const char *default_arg;
	bool hidden;            /* understood, not shown */
	size_t set_offset;      /* offset of a bool that says the option was given; 0 = none */
	const struct option *rows; /* OPTION_TABLE */
};

#define OPTIONS_END { .kind = OPTION_GROUP, .help = NULL }
/*
 * The rows that several commands have: offsets of `table` are those of a struct at offset `at` of the command's, and its parse()
 * functions are given that. Such a table has none within it.
 */
#define OPTIONS_OF(table, at) { OPTION_TABLE, .offset = (at), .rows = (table) }

/*
 * Each row of a table, those of the tables within it in their places:
 *
 *	for (struct option_walk w = option_walk(table); option_next(&w);)
 *		w.row …
 */
struct option_walk {
	const struct option *row;
	size_t base;                        /* offset of the struct that the row's offsets are of */
	const struct option *next, *outer;  /* outer: where to go on after a table within; or NULL */
};
struct option_walk option_walk(const struct option *table);
bool option_next(struct option_walk *w);
bool option_takes_value(const struct option *o);

struct options_result {
	int argc;      /* what is left, first non-option on; "--" removed */
	char **argv;   /* without permute: after the words of the options, and the "--" */
	char **typed;  /* without permute: the words of the options, up to the "--" or argv */
	bool help;     /* -h or --help was given; the rest is then what help is requested for */
	bool manual;   /* it was --help: the manual page is requested rather than the table */
	const char *help_keyword; /* -h KEYWORD: rows that contain it; or NULL */
	bool had_dashes; /* the rest came after "--" */
	bool list_opts;  /* --list-opts: only the names of all options are printed, for completion */
	const struct option *at_fault; /* with ERROR_USAGE: the row whose value was wrong, or NULL */
};

/*
 * argv[0] is the command's own name and is skipped; argv is reordered in place. ERROR_USAGE names the wrong word, and the
 * nearest option where one is near. An option given twice: the later one wins, except for OPTION_COUNT and what a
 * parse() collects. --no-NAME sets strings to NULL and numbers to 0; of an option whose own name begins with "no-",
 * the negation is the name without it. OPTION_CALL parse() returns a sentence about the value; the option's name is put
 * before it here.
 * permute: options may also follow other words (report, script); without it parsing ends at the first word (record CMD).
 */
struct strobe_error *options_parse(const struct option *table, void *options, int argc, char **argv, bool permute,
				   struct options_result *ret) _must_check_;

/*
 * For tables whose long options may have one dash, as those of Go's programs: "-name" becomes "--name", and of what is on or off
 * "-name=true" and "-name=false" "--name" and "--no-name". The new words are in the arena, which must outlive the options.
 */
void options_double_dashes(const struct option *table, struct arena *words, int argc, char **argv);
