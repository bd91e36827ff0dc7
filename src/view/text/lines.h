/*
 * A finished text, cut to the size of a screen.
 */
#pragma once
#include "base/out.h"

/* The first lines, one less than rows; an empty one after them where some were left out. */
void text_first_lines(struct out *o, const char *text, size_t n, unsigned rows);
/*
 * The first lines, one less than rows, on a terminal over what it shows: none longer than columns, since what is beyond would move the
 * top away. Escapes in the text are colours: they end with m and take no room.
 */
void text_clipped(struct out *o, const char *text, size_t n, unsigned rows, unsigned columns);
