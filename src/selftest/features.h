/*
 * What this build can do, by the names that perf's features have, and by those of the libraries that only strobe uses.
 *
 * A feature of perf that strobe has by code of its own is on: scripts ask whether something can be done, and not by which library.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct feature {
	const char *name;
	const char *macro; /* of this build, or whose work it is */
	bool is_on;
};

/* Sorted by name, ends with a NULL name. */
extern const struct feature features[];
/* Case does not matter, and a macro's name serves as well; NULL: there is none. */
const struct feature *feature_find(const char *name, size_t n);
