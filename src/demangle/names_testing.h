/* For the tests of names: tables of expectations, and comparison with what another program prints. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/testing.h"
#include "demangle/demangle.h"

struct name_case {
	const char *mangled, *shown; /* NULL: unchanged */
};

static inline void names_check(const struct name_case *cases, size_t n, char *(*demangle)(const char *name))
{
	for (size_t i = 0; i < n; i++) {
		char *shown = demangle(cases[i].mangled);
		if (cases[i].shown ? !shown || strcmp(shown, cases[i].shown) : !!shown)
			fail_msg("%s reads %s, not %s", cases[i].mangled, shown ? shown : "(as it is)",
				 cases[i].shown ? cases[i].shown : "(as it is)");
		free(shown);
	}
}

/* The shell command prints two lines for each name, mangled and readable; returns the number of names. */
static inline size_t names_compare(const char *command, char *(*demangle)(const char *name))
{
	FILE *f = popen(command, "r");
	char *mangled = NULL, *line = NULL;
	size_t mangled_size = 0, line_size = 0, compared = 0;
	assert_non_null(f);
	while (getline(&mangled, &mangled_size, f) > 0 && getline(&line, &line_size, f) > 0) {
		mangled[strcspn(mangled, "\n")] = line[strcspn(line, "\n")] = 0;
		char *shown = demangle(mangled);
		assert_string_equal(shown ? shown : mangled, line);
		free(shown);
		compared++;
	}
	pclose(f);
	free(mangled);
	free(line);
	return compared;
}
