/*
 * Facts about the terminal, read when they are needed: nothing here is stored, except that a pager runs.
 */
#pragma once
#include <stdbool.h>
#include <termios.h>

/* Colour as the user chooses: never, always, or where it is a terminal that can (NO_COLOR and TERM=dumb are respected). */
enum colour_when { COLOUR_AUTO, COLOUR_NEVER, COLOUR_ALWAYS };

bool terminal_is_tty(int fd);
/* Width in columns: COLUMNS, then the terminal on stdout, stderr or stdin, then 80. */
unsigned terminal_columns(void);
unsigned terminal_rows(void);
/*
 * Keys of the terminal on standard input, one by one and not echoed; Ctrl-C stays a signal. A process in the background leaves the
 * terminal alone.
 */
struct terminal_keys {
	bool is_open;
	struct termios saved;
};
/* Not open where standard input is not a terminal; the others do nothing then. */
void terminal_keys_open(struct terminal_keys *k);
/* Once more, since a shell that stopped and continued the process has set the terminal its own way. */
void terminal_keys_take(const struct terminal_keys *k);
void terminal_keys_close(struct terminal_keys *k);
/* paged: output goes through a pager of ours that shows colours. */
bool terminal_colour(enum colour_when when, int fd, bool paged);
