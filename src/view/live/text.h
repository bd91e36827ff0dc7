/*
 * One refresh of a live profile as text or JSON: a report, or the code of one function.
 */
#pragma once
#include "base/out.h"
#include "session/live/report.h"
#include "view/live/display.h"
#include "view/text/listing_text.h"

struct live_text {
	bool as_json;                      /* one object on one line */
	bool is_terminal;                  /* overwrite the last report; else append, with few lines */
	unsigned rows, columns;            /* size of the terminal; for a pipe, that of a typical terminal */
	struct listing_text_options style; /* colours, also of rows */
};

struct strobe_error *live_text(struct out *o, struct live_report *r, const struct live_display *display, const struct live_text *options)
	_must_check_;
