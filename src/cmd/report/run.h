/* strobe report, from its options to its exit status. */
#pragma once
#include "cmd/report/report.h"

int report_run(struct cmd_context *ctx, struct report_options *o);

/*
 * screen.c: whether the report is to be shown on a screen, which is then open; where a screen was wanted and cannot be, the
 * reason is said. And the report itself, until the user has enough.
 */
struct screen;
struct screen *report_open_screen(struct cmd_context *ctx, const struct report_options *o);
int report_browse(struct cmd_context *ctx, const struct report_options *o, struct screen *screen);
/* From a source whose events are known to r->profile, its columns bound; damage is told behind what is whole. */
struct strobe_error *report_load(struct report_run *r, struct report_options *o, struct strobe_error **ret_damage) _must_check_;
