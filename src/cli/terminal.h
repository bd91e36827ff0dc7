/*
 * Facts about the terminal, asked when they are needed: nothing here is remembered, except that a pager runs.
 */
#pragma once
#include <stdbool.h>

/* Colour as the user wants it: never, always, or where it is a terminal that can (NO_COLOR and TERM=dumb are respected). */
enum colour_when { COLOUR_AUTO, COLOUR_NEVER, COLOUR_ALWAYS };

bool terminal_is_tty(int fd);
/* Width in columns: COLUMNS, then the terminal on stdout, stderr or stdin, then 80. */
unsigned terminal_columns(void);
unsigned terminal_rows(void);
/* paged: output goes through a pager of ours that shows colours. */
bool terminal_colour(enum colour_when when, int fd, bool paged);
