/* Flags for one choice among several, as in go tool pprof: -flat and -cum, -lines and -files, -top and -svg. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "pprof/kinds.h"

struct pprof_choice {
	bool is_set;
	const char *flag, *value; /* value: its meaning */
};

/* The value of the flag that is set; *value is unchanged if none is. ERROR_USAGE names two conflicting flags. */
struct strobe_error *pprof_choose(const struct pprof_choice *choices, size_t nr, const char **value) _must_check_;
#define PPROF_CHOOSE(choices, value) pprof_choose(choices, sizeof(choices) / sizeof(*(choices)), value)
/* The report whose flag is set; NULL: none. */
struct strobe_error *pprof_choose_kind(const struct pprof_choice *choices, size_t nr, const struct pprof_report_kind **ret) _must_check_;
