/*
 * What main.c and the commands about the program itself share; other commands need only cmd.h.
 */
#pragma once
#include "base/out.h"
#include "base/vector.h"
#include "cmd/cmd.h"

/* The program's own options: rows for -h, man page and completion. */
extern const struct option frame_options[];
extern const char *const frame_usage[];

/* Parses argv by the command's table and runs it: also used by commands that translate to another one. */
int cmd_run(struct cmd_context *ctx, const struct cmd *cmd, int argc, char **argv);
/* A command line under construction; zeroed, it is empty. Words are copied into the context, since the parser reorders them. */
struct cmd_words {
	VEC(char *) list;
};
void cmd_add_word(struct cmd_context *ctx, struct cmd_words *words, const char *word);
/* Adds several words, NULL-terminated. */
void cmd_add_words(struct cmd_context *ctx, struct cmd_words *words, const char *const *more);
/* Runs a NULL-terminated command line. */
int cmd_run_line(struct cmd_context *ctx, const char *const *line);
/* Runs the command that the first word names, with the other words, then those after argv[0]. Frees the list. */
int cmd_run_words(struct cmd_context *ctx, struct cmd_words *words, int argc, char **argv);
/*
 * Runs the command record with the words ("record", "-a", …, NULL), the events (the list is freed), then the words after argv[0].
 */
struct recorded_events;
int cmd_run_record(struct cmd_context *ctx, const char *const *first, struct recorded_events *events, int argc, char **argv);
/* The error for an unknown command, with the nearest one if any is near. */
struct strobe_error *cmd_unknown(const char *program, const char *name) _must_check_;
/* Prints "version" and, with build_options, the features of this build. */
/* Prints a line of these, in perf's form. */
struct feature;
void feature_print(struct out *out, const struct feature *f);
void version_print(struct out *out, const char *program, bool build_options);
/* Shows the help that -h or --help of the running command requested; returns the exit status. */
int cmd_show_help(struct cmd_context *ctx);
/* The -h text of a command; words (may be none) choose rows. */
void help_print_command(struct out *out, const char *program, const struct cmd *cmd, const char *const *words, int n);
/*
 * Fills a man page's template: lines that are @SYNOPSIS@, @OPTIONS@ or @COMMANDS@ are replaced from the tables, @VERSION@
 * anywhere. The command is named by the file: strobe-CMD.1.in, or strobe.1.in for the program.
 */
struct strobe_error *manual_fill(struct out *out, const char *path) _must_check_;
