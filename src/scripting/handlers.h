/*
 * The handlers of a script and their numbers of arguments, as its interpreter reports them once the script has been loaded: lines
 * "NAME COUNT", ended by an empty one.
 */
#pragma once
#include <stdbool.h>

#include "base/strtab.h"
#include "base/vector.h"

struct script_handlers {
	struct strtab names;
	VEC(unsigned) arguments; /* by ID of the name; 0: unknown */
	bool complete;           /* the empty line was read */
};

void script_handlers_init(struct script_handlers *h);
void script_handlers_deinit(struct script_handlers *h);
/* Adds a line without its newline. Malformed lines are skipped. */
void script_handlers_add(struct script_handlers *h, const char *line, size_t n);
/* Adds complete lines up to the empty one; returns the number of bytes used. */
size_t script_handlers_take(struct script_handlers *h, const char *text, size_t n);
/* ret_arguments may be NULL. */
bool script_handlers_find(const struct script_handlers *h, const char *name, unsigned *ret_arguments);
