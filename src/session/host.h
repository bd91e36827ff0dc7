/*
 * Callbacks of a session to the program: the build ID cache, servers of debug information, and output of messages.
 *
 * Functions of session/ print nothing: each message is a line without newline, and goes through the host, which escapes names of
 * files and functions in it. The host is called from the thread that called the session.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

struct debuginfod;

struct session_host {
	/* The directory of the build ID cache; NULL: none. It lives as long as the host. */
	struct strobe_error *(*buildid_dir)(void *ctx, const char **ret);
	/* Servers of debug information, borrowed as long as the host lives; NULL: none. */
	struct debuginfod *(*servers)(void *ctx);
	/* Prints a message about the input or its result: losses, damage, replaced files. */
	void (*say)(void *ctx, const char *line);
	/* Shows the current activity; NULL: not shown. */
	void (*progress)(void *ctx, const char *line);
	/* The input is damaged, and its complete part is used: takes the error. NULL: say() is used. */
	void (*damage)(void *ctx, struct strobe_error *err);
	void *ctx;
	bool is_attended; /* messages are read at once: some ms may be spent on finding advice */
};

/* These do nothing if the host lacks the function: {} has no cache and prints nothing. */
struct strobe_error *session_buildid_dir(const struct session_host *host, const char **ret) _must_check_;
/* NULL where there are none. */
struct debuginfod *session_servers(const struct session_host *host);
void session_say(const struct session_host *host, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void session_progress(const struct session_host *host, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes the error. */
void session_damage(const struct session_host *host, struct strobe_error *err);
