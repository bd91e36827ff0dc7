/*
 * The functions that -disasm and -weblist show: found in the binaries, with their instructions and what cost something.
 */
#pragma once
#include "cmd/cmd.h"
#include "view/pprof_code.h"

struct routine_search {
	struct cmd_context *ctx;
	struct code_values values; /* the total is set where it is 0 */
	const char *pattern;       /* of functions, or an address */
	bool drop_negative, intel_syntax;
};

/* show() for each, by name; begin() before the first. ERROR_NOT_FOUND where none matches: neither is called then. */
struct routine_report {
	void *ctx;
	void (*begin)(void *ctx, const struct code_values *v, struct out *out);
	void (*show)(void *ctx, const struct code_values *v, const struct routine *r, struct out *out);
};
struct strobe_error *routines_report(struct routine_search *s, const struct routine_report *report, struct out *out) _must_check_;
