/*
 * Terminal colours by meaning. An escape is "" where colour is off, so that callers write it without asking.
 *
 * Whether colour is on is decided once by terminal_colour(); see cli/terminal.h.
 */
#pragma once
#include <stdbool.h>

enum colour {
	COLOUR_RESET,
	COLOUR_BOLD,
	COLOUR_DIM,
	COLOUR_HIGH,   /* much: red */
	COLOUR_MEDIUM, /* some: green */
	COLOUR_NOTE,   /* yellow */
	COLOUR_NAME,   /* cyan */
	COLOUR_ADDRESS, /* magenta */
	COLOUR_CODE,    /* blue */
};

static inline const char *colour_escape(bool on, enum colour c)
{
	static const char *const escapes[] = { "\033[m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[36m",
						"\033[35m", "\033[34m" };
	return on ? escapes[c] : "";
}

/* The reference's scale for shares: from 5 % high, from 0.5 % medium, else none. */
static inline const char *colour_percent(bool on, double percent)
{
	return percent >= 5.0 ? colour_escape(on, COLOUR_HIGH) : percent > 0.5 ? colour_escape(on, COLOUR_MEDIUM) : "";
}
