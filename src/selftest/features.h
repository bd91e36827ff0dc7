/*
 * Features of this build, by perf's names, and by those of libraries that only strobe uses.
 *
 * A feature of perf that strobe implements without the library is on: scripts check for the ability, not for the library.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct feature {
	const char *name;
	const char *macro; /* the macro in this build, or what implements it */
	bool is_on;
};

/* Sorted by name, ends with a NULL name. */
extern const struct feature features[];
/* Ignores case, and also accepts the macro's name; NULL: none. */
const struct feature *feature_find(const char *name, size_t n);
