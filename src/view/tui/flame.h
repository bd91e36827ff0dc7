/*
 * A flame graph on a screen: a row of cells a depth, a box as wide as its share; zoom, search, and in top it moves along.
 *
 * Modal, as view/tui/code.h is: the report it began with may be gone when it returns, and ui.fresh is the last one then.
 */
#pragma once
#include "view/tui/ui.h"

void flame_browse(struct ui *u, const struct report_part *part, struct strbuf *say);
