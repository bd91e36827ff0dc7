/*
 * The reports of strobe pprof that show code: list (source lines), disasm (instructions), weblist (both, as a page).
 *
 * Each line and instruction has what it cost itself and with all that it calls, counted in the profile. One thread.
 */
#pragma once
#include "annotate/source_files.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "profile/callgraph.h"
#include "view/pprof_units.h"

struct code_view {
	struct cmd_context *ctx;
	const struct profile *p;
	uint32_t event;
	int64_t total;          /* what percentages are of; 0: of all that is in the profile */
	double divide_by;
	const char *unit;       /* "minimum", "auto", or a unit */
	bool no_inlines, drop_negative, intel_syntax;
	struct source_paths paths;
	const char *pattern;    /* of functions; of disasm and weblist an address, too */
	const char *const *filters; /* as "focus=x", NULL-terminated */
};

/* ERROR_NOT_FOUND where no function matches. */
struct strobe_error *code_list(struct code_view *v, struct out *out) _must_check_;
struct strobe_error *code_disasm(struct code_view *v, struct out *out) _must_check_;
struct strobe_error *code_weblist(struct code_view *v, struct out *out) _must_check_;

/* ---- what they have in common ---- */

struct code_sum {
	int64_t flat, cum;
};
static inline void code_sum_add(struct code_sum *to, int64_t flat, int64_t cum)
{
	to->flat += flat;
	to->cum += cum;
}
void code_value(const struct code_view *v, int64_t value, char ret[static PPROF_LABEL_MAX]);
/* A value, or "." for none, right-aligned in ten columns. */
void code_out_value(const struct code_view *v, struct out *out, int64_t value);
/* "flat cum (flat, cum) share of Total" of a function. */
void code_out_sum(const struct code_view *v, struct out *out, struct code_sum sum);
/* Text of a file by write() (out_text, out_xml), which does not see its tabs: they stay. */
void code_out_source(struct out *out, const char *s, size_t n, void (*write)(struct out *out, const char *s, size_t n));
struct strobe_error *code_no_match(const struct code_view *v) _must_check_;
