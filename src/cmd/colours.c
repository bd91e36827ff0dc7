#include "cmd/colours.h"

#include <string.h>

#include "cli/color.h"

struct strobe_error *colour_parse_when(void *when, const char *value, bool negated)
{
	enum colour_when *ret = when;
	if (!negated && (!value || !strcmp(value, "always")))
		*ret = COLOUR_ALWAYS;
	else if (negated || !strcmp(value, "never"))
		*ret = COLOUR_NEVER;
	else if (!strcmp(value, "auto"))
		*ret = COLOUR_AUTO;
	else
		return error_create(ERROR_USAGE, "requires always, never or auto");
	return NULL;
}

void colour_report(const struct cmd_context *ctx, enum colour_when when, struct report_text *ret)
{
	if (!cmd_use_colour(ctx, when))
		return;
	ret->colour_high = colour_escape(true, COLOUR_HIGH);
	ret->colour_medium = colour_escape(true, COLOUR_MEDIUM);
	ret->colour_off = colour_escape(true, COLOUR_RESET);
}

void colour_listing(const struct cmd_context *ctx, enum colour_when when, struct listing_text_options *ret)
{
	bool colour = cmd_use_colour(ctx, when);
	ret->colour_high = colour_escape(colour, COLOUR_HIGH);
	ret->colour_medium = colour_escape(colour, COLOUR_MEDIUM);
	ret->colour_address = colour_escape(colour, COLOUR_ADDRESS);
	ret->colour_code = colour_escape(colour, COLOUR_CODE);
	ret->colour_off = colour_escape(colour, COLOUR_RESET);
}
