/*
 * What a session needs from the program around it: where build IDs are kept, which servers have debug information, who prints its messages.
 *
 * Functions of this room print nothing: each message is one line without its newline, and goes through the host. Names of files
 * and functions in it are as they were read: the host escapes them. The host is called by the thread that called the session.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

struct debuginfod;

struct session_host {
	/* The directory of the build ID cache; NULL where there is none. It lives as long as the host. */
	struct strobe_error *(*buildid_dir)(void *ctx, const char **ret);
	/* Servers of debug information, borrowed for as long as the host; NULL where there are none. */
	struct debuginfod *(*servers)(void *ctx);
	/* What the user must know about the input or its result: losses, damage, replaced files. */
	void (*say)(void *ctx, const char *line);
	/* What is being waited for; NULL: it is not shown. */
	void (*progress)(void *ctx, const char *line);
	/* The input is damaged and its whole part is used: takes the error. NULL: the message goes to say(). */
	void (*damage)(void *ctx, struct strobe_error *err);
	void *ctx;
	bool is_attended; /* somebody reads the messages as they come: they may take some ms to find out what would help */
};

/* Of a host that leaves functions out, these do nothing: {} has no cache and prints nothing. */
struct strobe_error *session_buildid_dir(const struct session_host *host, const char **ret) _must_check_;
/* NULL where there are none. */
struct debuginfod *session_servers(const struct session_host *host);
void session_say(const struct session_host *host, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void session_progress(const struct session_host *host, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes the error. */
void session_damage(const struct session_host *host, struct strobe_error *err);
