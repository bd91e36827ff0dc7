/*
 * A finished text, cut to the size of a screen.
 */
#pragma once
#include "base/out.h"

/* Writes the first rows - 1 lines, and an empty one after them if some were left out. */
void text_first_lines(struct out *o, const char *text, size_t n, unsigned rows);
/*
 * Writes the first rows - 1 lines over the contents of a terminal, cut to `columns`, since longer lines would scroll it. Escapes in the
 * text are colours, which end with m and have no width.
 */
void text_clipped(struct out *o, const char *text, size_t n, unsigned rows, unsigned columns);
