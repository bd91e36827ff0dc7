/*
 * The functions of a profile for pprof's -disasm and -weblist: finds them in the binaries, with their instructions and the values of
 * each. One thread.
 */
#pragma once
#include "view/pprof_code.h"

struct routine_search {
	const char *buildid_dir;   /* the build ID cache, or NULL */
	struct code_values values; /* a total of 0 is set */
	const char *pattern;       /* of functions, or an address */
	bool drop_negative, intel_syntax;
};

/* Calls show() for each, by name; begin() before the first. ERROR_NOT_FOUND if none matches: then neither is called. */
struct routine_report {
	void *ctx;
	void (*begin)(void *ctx, const struct code_values *v, struct out *out);
	void (*show)(void *ctx, const struct code_values *v, const struct routine *r, struct out *out);
};
struct strobe_error *routines_report(struct routine_search *s, const struct routine_report *report, struct out *out) _must_check_;
