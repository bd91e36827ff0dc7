/*
 * A subcommand is one const struct cmd in one file, and one line in commands.def.
 *
 * Only cmd/ prints to the user or exits. run() returns the process's exit status; errors are printed once, by cmd_fail(), which also
 * chooses the status.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/terminal.h"
#include "session/host.h"

/* The exit statuses of all commands. `record` and `stat` return the status of the program they ran. */
enum cmd_status {
	CMD_OK = 0,
	CMD_FAILED = 1,         /* any error but those below; also: the input was damaged, and only its valid part is shown */
	CMD_USAGE = 129,        /* wrong options or arguments, as in perf */
	/* 126 and 127: see capture/workload.h; 255: see event/open.h */
	CMD_BROKEN_PIPE = 141,  /* the reader of the output has exited (128 + SIGPIPE); nothing is printed */
};

struct cmd_context {
	const char *program; /* "strobe", or "perf" when called by that name: for usage and messages */
	const struct cmd *cmd;
	struct options_result rest;
	bool no_pager, paginate;
	const char *buildid_dir; /* --buildid-dir, or NULL: see cmd_buildid_dir() */
	struct pager pager;      /* fd -1 while output is not paged */
	struct config *config;   /* read on the first cmd_settings() */
	char *buildid_dir_set;   /* from the settings; NULL: not looked up, or no home directory */
	struct debuginfod *debuginfod; /* of cmd_host(), or NULL */
	struct arena words;      /* option words derived from others */
	struct session_host host; /* of cmd_host() */
	bool damaged;            /* the input was incomplete: the exit status is at least CMD_FAILED */
	bool left_behind;        /* a blocked thread may still use all of this: nothing is freed */
};

struct cmd {
	const char *name;
	const char *summary;            /* one line, for `strobe help` */
	const char *const *usage;       /* lines after "usage: strobe ", NULL-terminated */
	const struct option *options;   /* ends with OPTIONS_END */
	const struct cmd *const *subcommands; /* with options of their own, "sched map"; ends with NULL; or NULL */
	size_t options_bytes;           /* of the options struct; it starts zeroed, then defaults() */
	void (*defaults)(void *options);
	void (*release)(void *options); /* called in any case, also after a parse error */
	int (*run)(struct cmd_context *ctx, void *options);
	bool permute;                   /* options may follow other words */
	bool single_dash;               /* long options may have one dash (-top), as in Go programs */
	bool hidden;                    /* not listed among the common commands */
};

/* By name, or NULL. */
const struct cmd *cmd_find(const char *name);
/* All commands, NULL-terminated. */
extern const struct cmd *const cmd_all[];

/* Prints "strobe CMD: sentence" on stderr, destroys the error, returns the exit status for it. NULL: returns 0. */
int cmd_fail(const struct cmd_context *ctx, struct strobe_error *err);
/*
 * The same for a usage error that run() finds, followed by the command's usage lines. Returns CMD_USAGE; errors of permission are
 * passed to cmd_fail().
 */
int cmd_fail_usage(const struct cmd_context *ctx, struct strobe_error *err);
/* cmd_fail_usage() for ERROR_USAGE, else cmd_fail(). */
int cmd_fail_either(const struct cmd_context *ctx, struct strobe_error *err);
/*
 * A line on stderr, "strobe CMD: …"; terminal control characters are escaped, as in all of these functions.
 */
void cmd_say(const struct cmd_context *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same without the name of the command. */
void cmd_say_plain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Opens standard output, through a pager if it is a terminal and the user has configured one; cmd_close_output() waits for the pager
 * and returns the exit status: 0, or that of a failed write. From the first call on, this process ignores SIGPIPE (writes fail with
 * EPIPE): it must be reset for programs that are started later.
 */
struct out;
void cmd_open_output(struct cmd_context *ctx, struct out *out);
int cmd_close_output(struct cmd_context *ctx, struct out *out);
/* The same with the error of the command, which is printed, too (ERROR_USAGE as in cmd_fail_usage()); returns the first bad exit status. */
int cmd_finish(struct cmd_context *ctx, struct out *out, struct strobe_error *err);
/* Whether to colour the output of cmd_open_output(). To be called after it. */
bool cmd_use_colour(const struct cmd_context *ctx, enum colour_when when);
/* The -v level: makes the log hook print LOG_INFO (1) or LOG_DEBUG (2). */
void cmd_set_verbosity(unsigned level);
/* Parses a --format of text or json; NULL is text. ERROR_USAGE. */
struct strobe_error *cmd_format_is_json(const char *format, bool *ret) _must_check_;
/* The user's settings; read at the first call. */
struct strobe_error *cmd_settings(struct cmd_context *ctx, const struct config **ret) _must_check_;
/* The build-id cache: --buildid-dir, the setting buildid.dir, or ~/.debug; NULL without a home directory. Valid as long as ctx. */
struct strobe_error *cmd_buildid_dir(struct cmd_context *ctx, const char **ret) _must_check_;
/* The words after the options as a command to run, NULL-terminated, in ctx->words; NULL: none. */
char *const *cmd_command(struct cmd_context *ctx);
/* The command's host for sessions, whose messages are printed by cmd_say(). Valid as long as ctx, which must not move. */
const struct session_host *cmd_host(struct cmd_context *ctx);
/* Shows the man page if there is one, else the -h text on stdout. cmd NULL: of the program. */
int cmd_show_manual(struct cmd_context *ctx, const struct cmd *cmd);
/* "strobe --help" as text. */
void cmd_print_overview(struct out *out, const char *program);
