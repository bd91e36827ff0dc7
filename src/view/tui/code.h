/*
 * A code listing on a screen: instructions, source lines, and what they cost.
 *
 * The listing is made and made again by the caller, who also finds the code that a call goes to. Modal, as the pages of
 * view/tui/ui.h are; a live one is made anew whenever a report is due:
 * the report that it began with is gone then, and ui.fresh is the last one.
 */
#pragma once
#include "table/listing.h"
#include "view/tui/ui.h"

/*
 * Shows what browse_hooks.listing() says of this place; returns when the user goes back: 0, or which row is next, -1 or 1 from
 * here. A problem is reported in *say.
 */
int code_browse(struct ui *u, const struct report_part *part, mapping_id mapping, uint64_t addr,
		struct strbuf *say);
