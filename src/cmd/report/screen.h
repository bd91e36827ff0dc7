/* A recording on a screen: for report, and for annotate, which begins with code. */
#pragma once
#include "cmd/report/run.h"

struct screen;
/* The screen, open; NULL: the report is text. Where a screen was requested and cannot be opened, the reason is printed. */
struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o);
/* Until the user quits. Closes the screen; returns the exit status. */
int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen);
