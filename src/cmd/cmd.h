/*
 * A subcommand is one const struct cmd in one file, and one line in commands.def.
 *
 * Only cmd/ prints to the user or exits. run() returns the process's exit status; an error it gets is printed once by
 * cmd_fail(), which also chooses the status.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/options.h"

struct cmd_context {
	const char *program; /* "strobe", or "perf" when called by that name: for usage and messages */
	const struct cmd *cmd;
	struct options_result rest;
	bool no_pager, paginate;
	const char *buildid_dir; /* --buildid-dir, or NULL */
};

struct cmd {
	const char *name;
	const char *summary;            /* one line, as in `strobe help` */
	const char *const *usage;       /* lines behind "usage: strobe ", NULL-terminated */
	const struct option *options;   /* ends with OPTIONS_END */
	size_t options_bytes;           /* of the options struct; it starts zeroed, then defaults() */
	void (*defaults)(void *options);
	int (*run)(struct cmd_context *ctx, void *options);
	bool permute;                   /* options may follow other words */
	bool hidden;                    /* not listed among the common commands */
};

/* Prints "strobe CMD: sentence" on stderr, destroys the error, returns the exit status for it. */
int cmd_fail(const struct cmd_context *ctx, struct strobe_error *err);
/* A line on stderr, "strobe CMD: …". */
void cmd_say(const struct cmd_context *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Standard output, through a pager where that is a terminal and the user wants one; cmd_close_output() waits for it. */
struct out;
void cmd_open_output(struct cmd_context *ctx, struct out *out);
int cmd_close_output(struct cmd_context *ctx, struct out *out);
/* The -v level: makes the log hook print LOG_INFO (1) or LOG_DEBUG (2). */
void cmd_set_verbosity(unsigned level);
