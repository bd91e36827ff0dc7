/*
 * Commands whose subcommands have options of their own (sched, kwork): a few common options may precede or follow the subcommand.
 *
 * Each subcommand is a struct cmd in the main one's list, named by both words ("sched latency").
 */
#pragma once
#include "cmd/cmd.h"

struct cmd_common {
	const char *input;
	bool force, dump;
	unsigned verbose;
};

/* Rows of a table; at is the offset of the struct cmd_common. */
#define COMMON_OPTIONS(at)                                                                                             \
	{ OPTION_STRING, 'i', "input", (at) + offsetof(struct cmd_common, input), .arg = "file",                       \
	  .help = "input file (default: perf.data); - for standard input" },                                           \
	{ OPTION_BOOL, 'f', "force", (at) + offsetof(struct cmd_common, force), .help = "skip the ownership check" },  \
	{ OPTION_BOOL, 'D', "dump-raw-trace", (at) + offsetof(struct cmd_common, dump),                                \
	  .help = "dump the records of the recording, as report -D does" },                                            \
	{ OPTION_COUNT, 'v', "verbose", (at) + offsetof(struct cmd_common, verbose), .help = "be more verbose" }

/* The subcommand with this name, or whose name begins with the word (at least three letters), as in perf; or NULL. */
const struct cmd *subcommand_find(const struct cmd *cmd, const char *word);
/* Whether a word is the name of a subcommand or its first three letters or more. */
bool subcommand_is(const char *word, const char *name);
/* Runs it with the common options, then more (NULL-terminated, or NULL), then the rest of the words. */
int subcommand_run(struct cmd_context *ctx, const struct cmd *sub, const struct cmd_common *c, const char *const *more);
/* Reports an unknown or missing subcommand; known: "record, map or script". Returns the exit status. */
int subcommand_unknown(const struct cmd_context *ctx, const char *word, const char *known);
/* report -D of the same recording. */
int subcommand_dump(struct cmd_context *ctx, const struct cmd_common *c);
/* ERROR_USAGE if words are left. */
struct strobe_error *subcommand_no_words(const struct cmd_context *ctx) _must_check_;
