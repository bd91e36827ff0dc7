/*
 * A live profile on a screen, which can be paused and stepped back through the last minutes.
 */
#pragma once
#include "session/live/report.h"
#include "view/live/display.h"
#include "view/tui/screen.h"

struct live_screen_options {
	struct live_display *display;  /* keys change it */
	int stop_fd;                   /* readable when is_stopped() may have become true */
	bool (*is_stopped)(void *ctx);
	void *ctx;
};

/* Runs until the user quits, or is_stopped(). The profile must have been started; the screen stays open. */
struct strobe_error *live_browse(struct screen *screen, struct live_report *r, const struct live_screen_options *options) _must_check_;
