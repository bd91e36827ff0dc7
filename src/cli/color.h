/*
 * Terminal colours by meaning. Escapes are "" if colour is off, so that callers can write them without a test.
 *
 * Whether colour is on is decided once by terminal_colour(); see cli/terminal.h.
 */
#pragma once
#include <stdbool.h>

enum colour {
	COLOUR_RESET,
	COLOUR_HIGH,   /* high: red */
	COLOUR_MEDIUM, /* medium: green */
	COLOUR_ADDRESS, /* magenta */
	COLOUR_CODE,    /* blue */
};

static inline const char *colour_escape(bool on, enum colour c)
{
	static const char *const escapes[] = {
		[COLOUR_RESET] = "\033[m",    [COLOUR_HIGH] = "\033[31m", [COLOUR_MEDIUM] = "\033[32m",
		[COLOUR_ADDRESS] = "\033[35m", [COLOUR_CODE] = "\033[34m",
	};
	return on ? escapes[c] : "";
}
