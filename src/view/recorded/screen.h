/*
 * A recording on a screen: a first part of it while the rest is read, and another file whenever the user chooses one.
 *
 *	err = recorded_browse(&s, screen, &options);   until the user ends it, or is_stopped()
 *	shown_remarks(&s.shown, &damage);              what there is to say of the file, once the screen is closed
 *	shown_close(&s.shown);                         false: a thread that is stuck remains with what it was given
 *
 * Options are borrowed. A struct recorded_screen does not move.
 */
#pragma once
#include "session/report/shown.h"
#include "view/tui/browser.h"
#include "view/tui/screen.h"

struct recorded_screen_options {
	const struct session_host *host;
	const struct report_request *request;
	const char *base_path;         /* compared with from the start, or NULL */
	int stop_fd;                   /* readable when is_stopped() may have become true */
	bool (*is_stopped)(void *ctx);
	void *ctx;
};

struct recorded_screen {
	struct recorded_screen_options options;
	struct screen *screen;
	struct shown shown;
	struct browse_hooks hooks;
	int fds[2];                    /* hooks: stop_fd, and the end of the opening */
};

struct strobe_error *recorded_browse(struct recorded_screen *s, struct screen *screen, const struct recorded_screen_options *options)
	_must_check_;
