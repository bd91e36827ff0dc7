/* Flags of their own for one choice among several, as those of go tool pprof: -flat and -cum, -lines and -files, -top and -svg. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "pprof/kinds.h"

struct pprof_choice {
	bool is_set;
	const char *flag, *value; /* value: what it stands for */
};

/* The value of the one that is set; *value stays where none is. ERROR_USAGE names two that are. */
struct strobe_error *pprof_choose(const struct pprof_choice *choices, size_t nr, const char **value) _must_check_;
#define PPROF_CHOOSE(choices, value) pprof_choose(choices, sizeof(choices) / sizeof(*(choices)), value)
/* The report that is set, by its flag; NULL: none. */
struct strobe_error *pprof_choose_kind(const struct pprof_choice *choices, size_t nr, const struct pprof_report_kind **ret) _must_check_;
