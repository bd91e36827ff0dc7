/*
 * pprof's report list: the source of functions with the values of lines.
 */
#pragma once
#include "base/error.h"
#include "view/pprof_code.h"

struct pprof_list_options {
	struct code_values values;
	struct code_files files;
	const char *pattern; /* of names of functions */
	bool no_inlines, drop_negative;
};

/* ERROR_NOT_FOUND if no function matches. */
struct strobe_error *view_pprof_list(const struct pprof_list_options *options, struct out *out) _must_check_;
