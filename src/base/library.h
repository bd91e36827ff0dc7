/*
 * Shared libraries that are loaded on first use: commands without them do not pay for them, and a machine
 * that lacks them has everything else.
 *
 * The loader keeps what it has loaded, so that a second call finds it there; nothing is ever unloaded (ncurses and curl keep
 * state of their own). Thread-safe. Source: dlopen(3).
 *
 * A static binary loads nothing, as a library of the system it runs on would bring another C library along: it has what it was
 * linked with, by LIBRARY_SYMBOL, and lacks the others.
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
	const void *linked; /* what the static binary has of this name; NULL in others */
	bool is_optional;   /* where it is missing, the pointer is NULL */
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
	const char *missing;                  /* what to say where none of them is installed; NULL: what the loader says */
};

/* Sets all symbols; ERROR_UNSUPPORTED if the library or one of them is missing. */
struct strobe_error *library_load(const struct library *l, const struct library_symbol *symbols, size_t n) _must_check_;
