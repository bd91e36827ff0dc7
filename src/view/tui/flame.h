/*
 * A flame graph on a screen: a row of cells per depth, a box as wide as its share; with zoom and search, updated live in top.
 *
 * Modal, as view/tui/code.h: the report passed in may have been freed on return; then ui.fresh is the last one.
 */
#pragma once
#include "view/tui/ui.h"

void flame_browse(struct ui *u, const struct report_part *part, struct strbuf *say);
