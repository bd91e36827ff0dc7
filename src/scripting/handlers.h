/*
 * Which handlers a script has, and how many arguments they take, as its interpreter says once the script has been loaded: lines
 * "NAME COUNT", ended by an empty one.
 */
#pragma once
#include <stdbool.h>

#include "base/strtab.h"
#include "base/vector.h"

struct script_handlers {
	struct strtab names;
	VEC(unsigned) arguments; /* by number of the name; 0: unknown */
	bool complete;           /* the empty line has come */
};

void script_handlers_init(struct script_handlers *h);
void script_handlers_deinit(struct script_handlers *h);
/* One line without its newline. What is not such a line is skipped. */
void script_handlers_add(struct script_handlers *h, const char *line, size_t n);
/* Lines, as far as they are complete, until the empty one; returns how many bytes were used. */
size_t script_handlers_take(struct script_handlers *h, const char *text, size_t n);
/* ret_arguments may be NULL. */
bool script_handlers_find(const struct script_handlers *h, const char *name, unsigned *ret_arguments);
