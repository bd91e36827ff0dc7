/*
 * The terminal as a grid of cells: the only user of curses.
 *
 * A screen is opened once and closed once; in between curses controls the terminal: keys arrive one by one, only changed
 * cells are sent. Control bytes, invalid UTF-8 and bidirectional control characters are shown as escapes, and text beyond
 * its cells is cut. If the locale is not UTF-8, non-ASCII characters are shown as '?'.
 *
 * Keys come from standard input, or from /dev/tty where that is not a terminal.
 *
 * Uses 16 million colours if the terminal's description has them, or if COLORTERM says so and ncurses has a description for it
 * (xterm-direct, tmux-direct); else 256, 16 or eight.
 *
 * libncursesw is loaded when the first screen is opened. Belongs to one thread; one screen at a time. Curses handles SIGWINCH;
 * the caller handles all other signals, and must close the screen before the process ends in any way.
 * Source: ncurses(3X), terminfo(5).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct screen;

#define SCREEN_HEATS 16
#define SCREEN_TINTS 8 /* even and odd ones differ on every terminal */

/* What a cell looks like, by meaning. */
enum ink {
	INK_NORMAL,
	INK_SELECTED, /* the selected row */
	INK_TITLE,    /* first and last line */
	INK_HEAD,     /* names of columns */
	INK_HIGH,     /* shares: much, some */
	INK_MEDIUM,
	INK_DIM,
	INK_NOTE,
	INK_BAR,      /* cells of a bar that shows a share, and those of much and some */
	INK_BAR_HIGH,
	INK_BAR_MEDIUM,
	INK_FOUND,    /* what was searched for */
	INK_BOX,      /* menus and messages */
	INK_BOX_SELECTED,
	INK_FLAME,    /* the selected box of a flame graph */
	INK_HEAT,     /* shares from little to much: SCREEN_HEATS of them */
	/* Boxes of a flame graph, by where the code runs: SCREEN_TINTS of each. */
	INK_USER = INK_HEAT + SCREEN_HEATS,
	INK_KERNEL = INK_USER + SCREEN_TINTS,
	INK_INLINED = INK_KERNEL + SCREEN_TINTS,
	INK_OTHER = INK_INLINED + SCREEN_TINTS,
	INKS_NR = INK_OTHER + SCREEN_TINTS
};

enum key {
	KEY_NONE = 0, /* nothing to be read */
	/* Characters are themselves; other keys: */
	KEY_SPECIAL = 0x110000,
	KEY_IS_UP, KEY_IS_DOWN, KEY_IS_LEFT, KEY_IS_RIGHT, KEY_IS_PAGE_UP, KEY_IS_PAGE_DOWN, KEY_IS_HOME, KEY_IS_END,
	KEY_IS_ENTER, KEY_IS_ESCAPE, KEY_IS_TAB, KEY_IS_BACK_TAB, KEY_IS_BACKSPACE, KEY_IS_F1, KEY_IS_CTRL_C,
	KEY_IS_RESIZE, KEY_IS_CLICK, KEY_IS_WHEEL_UP, KEY_IS_WHEEL_DOWN,
	KEY_IS_RELEASE, /* of the button that clicked */
	KEY_IS_GONE, /* the terminal has been closed */
};

struct screen_key {
	uint32_t key;    /* a character, or enum key */
	unsigned y, x;   /* of a click */
};

struct screen_options {
	bool no_colour;
};

/* ERROR_UNSUPPORTED if there is no terminal, it cannot address cells, or libncursesw is missing: use text then. */
struct strobe_error *screen_open(struct screen_options options, struct screen **ret) _must_check_;
/* Restores the terminal. s may be NULL. */
void screen_close(struct screen *s);
unsigned screen_rows(const struct screen *s);
unsigned screen_columns(const struct screen *s);
bool screen_is_ascii(const struct screen *s);

void screen_clear(struct screen *s);
/*
 * The ink of a share, from 0 to 1: in as many steps as colours permit; with few colours perf's two limits (5 %, 0.5 %).
 */
enum ink screen_heat(const struct screen *s, double share);
/* Writes at most n bytes into at most `columns` cells from (y, x) on; returns how many cells were used. */
unsigned screen_text(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text, size_t n, unsigned columns);
/* To the right edge; a mark in the last cell shows that the line is cut. */
unsigned screen_line_text(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text, size_t n);
/* NUL-terminated, to the right edge. */
unsigned screen_str(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text);
void screen_fill(struct screen *s, unsigned y, unsigned x, enum ink ink, char c, unsigned n);
/* Sends what has changed. */
void screen_flush(struct screen *s);
/* Makes the next flush send everything. */
void screen_redraw(struct screen *s);

/* The next key that has arrived; KEY_NONE: none. */
struct screen_key screen_key(struct screen *s);
/* Waits for a key, for one of the n descriptors, or for the timeout (-1: forever). Reads nothing. */
void screen_wait(struct screen *s, const int *fds, unsigned n, int timeout_ms);
/* The width of a UTF-8 string in cells, including escapes. */
unsigned screen_width(const char *text, size_t n);
