/*
 * Shows a recording on a screen: a preview while the rest is read, and other files that the user selects.
 *
 *	err = recorded_browse(&s, screen, &options);   until the user quits, or is_stopped()
 *	shown_remarks(&s.shown, &damage);              remarks about the file, after the screen is closed
 *	shown_close(&s.shown);                         false: a hanging thread remains, with its arguments
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
	int fds[2];                    /* for hooks: stop_fd, and the end of opening */
};

struct strobe_error *recorded_browse(struct recorded_screen *s, struct screen *screen, const struct recorded_screen_options *options)
	_must_check_;
