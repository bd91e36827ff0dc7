/*
 * Prints reports of a live profile, on a terminal each over the last, with keys that change the display.
 */
#pragma once
#include "session/live/report.h"
#include "view/live/display.h"
#include "view/live/text.h"

struct live_print_options {
	struct live_display *display; /* keys change it */
	struct live_text text;        /* except for the size of the terminal, which is read each time */
	struct out *out;
	uint64_t refreshes;           /* maximum number; 0: unlimited */
	int stop_fd;                  /* readable when is_stopped() may have become true */
	bool (*is_stopped)(void *ctx);
	void *ctx;
};

/*
 * Runs until all targets have ended, is_stopped(), or the user quits by a key on standard input. The profile must have been started.
 * ERROR_STOPPED if the output cannot be written.
 */
struct strobe_error *live_print(struct live_report *r, const struct live_print_options *options) _must_check_;
