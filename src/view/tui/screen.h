/*
 * The terminal as a grid of cells: the one door to curses.
 *
 * A screen is opened once and closed once; in between the terminal is in curses' hands: keys come one by one, only cells
 * that changed are sent. Text is made harmless on its way: control bytes, invalid UTF-8 and characters that would steer the
 * order of others are shown as escapes, and what does not fit into its cells is left out. Where the locale is not UTF-8,
 * everything else than ASCII is a '?'.
 *
 * Keys come from standard input, or from /dev/tty where that is not a terminal.
 *
 * Colours are of 16 million where the description of the terminal has them, or where COLORTERM says so and ncurses has a
 * description for that (xterm-direct, tmux-direct); else of 256, of 16, or of eight.
 *
 * libncursesw is loaded when the first screen is opened. Belongs to one thread; one screen at a time. SIGWINCH is curses';
 * all other signals are the caller's: a screen is to be closed before the process ends, whatever ends it.
 * Source: ncurses(3X), terminfo(5).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct screen;

#define SCREEN_HEATS 16
#define SCREEN_TINTS 8 /* even and odd ones differ on any terminal */

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
	/* Characters are themselves; what has no character: */
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

/* ERROR_UNSUPPORTED where there is no terminal, none that can address cells, or no libncursesw: text is the way out. */
struct strobe_error *screen_open(struct screen_options options, struct screen **ret) _must_check_;
/* Leaves the terminal as it was. NULL is fine. */
void screen_close(struct screen *s);
unsigned screen_rows(const struct screen *s);
unsigned screen_columns(const struct screen *s);
bool screen_is_ascii(const struct screen *s);

void screen_clear(struct screen *s);
/*
 * The ink of a share, from 0 to 1: as many steps as there are colours for; with few of them what perf marks (5 %,
 * 0.5 %).
 */
enum ink screen_heat(const struct screen *s, double share);
/* Writes at most n bytes into at most `columns` cells from (y, x) on; returns how many cells were used. */
unsigned screen_text(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text, size_t n, unsigned columns);
/* NUL-terminated, to the right edge. */
unsigned screen_str(struct screen *s, unsigned y, unsigned x, enum ink ink, const char *text);
void screen_fill(struct screen *s, unsigned y, unsigned x, enum ink ink, char c, unsigned n);
/* Sends what has changed. */
void screen_flush(struct screen *s);
/* Forgets what the terminal is believed to show: the next flush sends all. */
void screen_redraw(struct screen *s);

/* The next key that has arrived, KEY_NONE where there is none. */
struct screen_key screen_key(struct screen *s);
/* Waits for a key, for one of the n descriptors, or for so long (-1: for ever). Does not read anything. */
void screen_wait(struct screen *s, const int *fds, unsigned n, int timeout_ms);
/* How many cells a UTF-8 string takes, escapes counted as they are shown. */
unsigned screen_width(const char *text, size_t n);
