/*
 * The names that a tracepoint's print format has for values of its fields: the rows of __print_flags and __print_symbolic.
 */
#pragma once
#include "decode/tracepoint.h"

struct value_names_field {
	const char *name;
	const char *delimiter; /* between the names of flags; NULL: __print_symbolic */
};

/* Arguments of the callbacks are borrowed from the tracepoint, and valid as long as it is. */
struct value_names_callbacks {
	/* Called before the values of a field, perhaps several times for the same field. */
	void (*field)(void *ctx, const struct value_names_field *f);
	void (*value)(void *ctx, const struct value_names_field *f, uint64_t value, const char *name);
	void *ctx;
};

/*
 * Calls back in the order of the format. A field that is printed as `field ? __print_flags(field, …) : "text"` has that text for 0.
 * Values that the kernel left as unknown enumerators are skipped.
 */
void value_names_each(const struct tracepoint *tp, const struct value_names_callbacks *callbacks);
