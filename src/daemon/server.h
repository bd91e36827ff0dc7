/*
 * The daemon: keeps the recordings of its settings going until it is stopped, starts, changes and ends them when the settings change, and
 * answers requests (client.h).
 *
 * Its base directory holds the file "lock", which one daemon at a time has, the socket "control", the log "output", and a directory for
 * each session. One thread; in the background, a process of its own.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

struct daemon_server_request {
	const char *config; /* file of settings; NULL: the user's */
	const char *base;   /* in place of the setting; or NULL */
	const char *program; /* strobe's own file */
	bool foreground;    /* stays here until it is stopped, and logs to standard output */
};

/* In the background, returns once the daemon answers requests. */
struct strobe_error *daemon_start(const struct daemon_server_request *q) _must_check_;
