/*
 * The daemon: runs the recordings in its settings until it is stopped, starts, changes and ends them when the settings change, and
 * answers requests (client.h).
 *
 * Its base directory has the file "lock", which one daemon at a time locks, the socket "control", the log "output", and a directory
 * per session. One thread; in the background, a separate process.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

struct daemon_server_request {
	const char *config; /* settings file; NULL: the user's */
	const char *base;   /* overrides the setting; or NULL */
	const char *program; /* strobe's own executable */
	bool foreground;    /* stay in the foreground, and log to standard output */
};

/* In the background, returns once the daemon answers requests. */
struct strobe_error *daemon_start(const struct daemon_server_request *q) _must_check_;
