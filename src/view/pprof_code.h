/*
 * What the reports of pprof that show code have in common: list (source lines), disasm (instructions), weblist (both, as a page).
 *
 * Each line and instruction has what it cost itself and with all that it calls, counted in the profile. Functions with their
 * instructions, and source files, come from the caller: a view opens no file.
 */
#pragma once
#include <stdint.h>

#include "base/lines.h"
#include "base/out.h"
#include "profile/profile.h"
#include "table/listing.h"
#include "view/pprof_units.h"

/* Values that are shown, and their unit. */
struct code_values {
	const struct profile *p;
	uint32_t event;
	int64_t total;    /* what percentages are of; 0: of all that is in the profile */
	double divide_by;
	const char *unit; /* "minimum", "auto", or a unit */
};

struct code_sum {
	int64_t flat, cum;
};
static inline void code_sum_add(struct code_sum *to, int64_t flat, int64_t cum)
{
	to->flat += flat;
	to->cum += cum;
}

struct routine_insn {
	struct code_sum sum;
	const char *function, *file; /* where it is from, as the profile says; "" */
	uint32_t line;
};

/* A function of a binary. */
struct routine {
	const char *name;
	struct code_sum sum;
	const struct listing *l;
	const struct routine_insn *insns; /* as many as the listing has */
};

/* A source file. Where it cannot be read, lines are empty and problem is the reason. */
struct code_file {
	const char *path;
	const struct lines *lines;
	const char *problem;
};
/* What get() returns is borrowed until the report is done. */
struct code_files {
	void *ctx;
	struct code_file (*get)(void *ctx, const char *path);
};

void code_value(const struct code_values *v, int64_t value, char ret[static PPROF_LABEL_MAX]);
/* A value, or "." for none, right-aligned in ten columns. */
void code_out_value(const struct code_values *v, struct out *out, int64_t value);
/* "flat cum (flat, cum) share of Total" of a function. */
void code_out_sum(const struct code_values *v, struct out *out, struct code_sum sum);
/* Text of a file by write() (out_text, out_xml), which does not see its tabs: they stay. */
void code_out_source(struct out *out, const char *s, size_t n, void (*write)(struct out *out, const char *s, size_t n));
struct strobe_error *code_no_match(const char *pattern) _must_check_;
