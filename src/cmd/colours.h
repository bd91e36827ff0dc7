/* Colours of what is printed as text, where it is to have them; else no escapes. Once the output was opened. */
#pragma once
#include "cmd/cmd.h"
#include "view/text/listing_text.h"
#include "view/text/text.h"

void colour_report(const struct cmd_context *ctx, enum colour_when when, struct report_text *ret);
void colour_listing(const struct cmd_context *ctx, enum colour_when when, struct listing_text_options *ret);
