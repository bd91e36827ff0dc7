/*
 * Shared by pprof's reports that show code: list (source lines), disasm (instructions), weblist (both, as a page).
 *
 * Lines and instructions have flat and cumulative values from the profile. The caller provides functions with their instructions,
 * and source files: a view opens no file.
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
	int64_t total;    /* 100 %; 0: the total of the profile */
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
	const char *function, *file; /* location according to the profile, or "" */
	uint32_t line;
};

/* A function of a binary. */
struct routine {
	const char *name;
	struct code_sum sum;
	const struct listing *l;
	const struct routine_insn *insns; /* as many as the listing has */
};

/* A source file; if it cannot be read, lines are empty and problem is the reason. */
struct code_file {
	const char *path;
	const struct lines *lines;
	const char *problem;
};
/* Results of get() are borrowed until the report is done. */
struct code_files {
	void *ctx;
	struct code_file (*get)(void *ctx, const char *path);
};

void code_value(const struct code_values *v, int64_t value, char ret[static PPROF_LABEL_MAX]);
/* A value, or "." for none, right-aligned in ten columns. */
void code_out_value(const struct code_values *v, struct out *out, int64_t value);
/* "flat cum (flat, cum) share of Total" of a function. */
void code_out_sum(const struct code_values *v, struct out *out, struct code_sum sum);
/* Writes text of a file by write() (out_text, out_xml), but leaves tabs unchanged. */
void code_out_source(struct out *out, const char *s, size_t n, void (*write)(struct out *out, const char *s, size_t n));
struct strobe_error *code_no_match(const char *pattern) _must_check_;
