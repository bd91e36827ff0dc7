/*
 * Shared libraries loaded on first use: commands that do not need them start faster, and without them
 * everything else works.
 *
 * Libraries are never unloaded, since ncurses and curl have global state; loading again is cheap.
 * Thread-safe. Source: dlopen(3).
 *
 * A static binary loads nothing, since a library of the system would load another C library: it has those that it was linked with,
 * by LIBRARY_SYMBOL, and lacks the others.
 */
#pragma once
#include <config.h> /* of the build */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether this strobe can load any: false for the static one. The C library loads modules, too: for names of users and hosts. */
static inline bool library_can_load(void)
{
	return !STROBE_STATIC;
}

struct library_symbol {
	void *to; /* a pointer to a function or to an object, which is set */
	const char *name;
	const void *linked; /* the symbol in a static binary; else NULL */
	bool is_optional;   /* if it is missing, the pointer is NULL */
};

/* A symbol of a library that the static binary is linked with. */
#if STROBE_STATIC
#define LIBRARY_SYMBOL(to, symbol) { to, #symbol, (const void *)&symbol, false }
#else
#define LIBRARY_SYMBOL(to, symbol) { to, #symbol, NULL, false }
#endif

#define LIBRARY_FILES_MAX 2

struct library {
	const char *files[LIBRARY_FILES_MAX]; /* tried in this order; NULL where there is no second */
	const char *missing;                  /* the message if none of them is installed; NULL: that of the loader */
};

/* Sets all symbols; ERROR_UNSUPPORTED if the library or one of them is missing. */
struct strobe_error *library_load(const struct library *l, const struct library_symbol *symbols, size_t n) _must_check_;
