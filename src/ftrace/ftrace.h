/*
 * The kernel's function tracers: set for a command, tasks or CPUs, started, read line by line until that ends or a signal comes.
 *
 * Nothing that was set in tracefs stays set, even where this process is killed (settings.h). One thread. Messages go through the host.
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
	char *const *command; /* NULL: until a signal comes */
	uint64_t delay_ms;    /* of the command before it is traced */
	bool with_head;       /* the lines that name the columns come first */
	/* Each line without its newline; false stops. */
	bool (*line)(void *ctx, const char *line, size_t bytes);
	void *ctx;
};

struct strobe_error *ftrace_run(const struct ftrace_request *q) _must_check_;

struct out;
/* The functions that the tracers know, with those a filter matches alone ("tcp_* & !*sendmsg"). */
struct strobe_error *ftrace_list_functions(const struct sys *sys, const char *filter, struct out *out) _must_check_;
