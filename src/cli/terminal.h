/*
 * Properties of the terminal, read when needed and not stored.
 */
#pragma once
#include <stdbool.h>
#include <termios.h>

/* The user's choice of colour: never, always, or on a capable terminal (NO_COLOR and TERM=dumb are respected). */
enum colour_when { COLOUR_AUTO, COLOUR_NEVER, COLOUR_ALWAYS };

bool terminal_is_tty(int fd);
/* Width in columns: COLUMNS, then the terminal on stdout, stderr or stdin, then 80. */
unsigned terminal_columns(void);
unsigned terminal_rows(void);
/*
 * Reads keys from the terminal on standard input, without line editing and echo; Ctrl-C still raises a signal. A process in the
 * background does not change the terminal.
 */
struct terminal_keys {
	bool is_open;
	struct termios saved;
};
/* Not opened if standard input is not a terminal; then the other functions do nothing. */
void terminal_keys_open(struct terminal_keys *k);
/* Sets the terminal's mode again, after a shell has stopped and continued the process. */
void terminal_keys_take(const struct terminal_keys *k);
void terminal_keys_close(struct terminal_keys *k);
/* paged: output goes through strobe's pager, which shows colours. */
bool terminal_colour(enum colour_when when, int fd, bool paged);
