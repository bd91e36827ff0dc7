/*
 * A live profile printed report after report, on a terminal each over the last, with keys that change what is shown.
 */
#pragma once
#include "session/live/report.h"
#include "view/live/display.h"
#include "view/live/text.h"

struct live_print_options {
	struct live_display *display; /* keys change it */
	struct live_text text;        /* but for the size of the terminal, which is looked up each time */
	struct out *out;
	uint64_t refreshes;           /* end after so many; 0: go on */
	int stop_fd;                  /* readable when is_stopped() may have become true */
	bool (*is_stopped)(void *ctx);
	void *ctx;
};

/*
 * Until all targets have ended, is_stopped(), or the user ends it by a key on standard input. The profile is started. ERROR_STOPPED
 * where the output cannot be written.
 */
struct strobe_error *live_print(struct live_report *r, const struct live_print_options *options) _must_check_;
