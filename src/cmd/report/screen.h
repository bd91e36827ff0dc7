/* A recording on a screen: for report, and for annotate, which begins with code. */
#pragma once
#include "cmd/report/run.h"

struct screen;
/* Opens the screen; NULL: the report is text. If a screen was requested and cannot be opened, prints the reason. */
struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o);
/* Runs until the user quits. Closes the screen; returns the exit status. */
int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen);
