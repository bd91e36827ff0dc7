/*
 * A code listing on a screen: instructions and source lines with their values.
 *
 * The caller's hooks make and update the listing, and find the code of callees. Modal, as the pages of view/tui/ui.h; a
 * live listing is updated whenever a report is due: the report passed in has then been freed, and ui.fresh is the last
 * one.
 */
#pragma once
#include "table/listing.h"
#include "view/tui/ui.h"

/*
 * Shows the result of browse_hooks.listing() for this place; returns when the user goes back: 0, or -1 or 1 for the previous or next
 * row. A problem is reported in *say.
 */
int code_browse(struct ui *u, const struct report_part *part, mapping_id mapping, uint64_t addr,
		struct strbuf *say);
