/*
 * Runs the kernel's function tracers for a command, tasks or CPUs, and reads lines until these end or a signal arrives.
 *
 * All changes in tracefs are undone, even if this process is killed (settings.h). One thread. Messages go through the host.
 */
#pragma once
#include "capture/target.h"
#include "ftrace/settings.h"
#include "session/host.h"

struct ftrace_request {
	const struct sys *sys;
	const struct session_host *host;
	struct ftrace_settings settings;
	struct target target;
	char *const *command; /* NULL: until a signal */
	uint64_t delay_ms;    /* delay before the command is traced */
	bool with_head;       /* include the lines with the column titles */
	/* Called with each line without its newline; false stops. */
	bool (*line)(void *ctx, const char *line, size_t bytes);
	void *ctx;
};

struct strobe_error *ftrace_run(const struct ftrace_request *q) _must_check_;

struct out;
/* The functions that the tracers support, only those that match a filter if given ("tcp_* & !*sendmsg"). */
struct strobe_error *ftrace_list_functions(const struct sys *sys, const char *filter, struct out *out) _must_check_;
