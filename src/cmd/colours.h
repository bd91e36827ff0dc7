/* The escapes for the colours of text, or "" if the output has no colours. To be called after cmd_open_output(). */
#pragma once
#include "cmd/cmd.h"
#include "view/text/listing_text.h"
#include "view/text/text.h"

/* --stdio-color, into an enum colour_when: always (also without a value), never or auto. */
struct strobe_error *colour_parse_when(void *when, const char *value, bool negated) _must_check_;
void colour_report(const struct cmd_context *ctx, enum colour_when when, struct report_text *ret);
void colour_listing(const struct cmd_context *ctx, enum colour_when when, struct listing_text_options *ret);
