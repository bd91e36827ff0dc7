/*
 * Fetch arguments in the syntax of tracefs ("p=+8(%di):x32") → plans for a BPF program (fetch_plan.h), and the format of the event as in
 * tracefs.
 *
 * Rejects everything that tracefs rejects, with the reason; $argN is also supported at the entry of a program's functions. Source: the
 * kernel's kprobetrace.rst, uprobetracer.rst.
 */
#pragma once
#include <stdbool.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "probe/fetch_plan.h"

/* Where the probe is. */
struct fetch_place {
	const struct arch *arch; /* of the program; for the kernel the machine's */
	bool is_kernel, is_return;
	bool is_entry;           /* at the entry of a function */
	uint64_t offset;         /* in the file of a program */
	/* Returns the address of a kernel symbol; NULL: no symbols are known. */
	bool (*symbol)(void *ctx, const char *name, uint64_t *ret);
	void *ctx;
};

struct fetch_field {
	const char *name;  /* "p" */
	const char *type;  /* "u32", "__data_loc char[]" */
	const char *print; /* "0x%x" */
};

struct fetch_format {
	struct fetch_field fields[FETCH_PLAN_ARGS];
	uint32_t nr;
};

/* Initializes a plan without arguments. */
void fetch_plan_begin(struct fetch_plan *plan, const struct fetch_place *place);
/* Adds an argument and its field. Strings live in the arena. ERROR_USAGE, ERROR_UNSUPPORTED. */
struct strobe_error *fetch_plan_add(struct fetch_plan *plan, struct fetch_format *format, const char *text, const struct fetch_place *place,
				    struct arena *arena) _must_check_;
/* Whether two plans make the same fields. */
bool fetch_plan_is_alike(const struct fetch_plan *a, const struct fetch_plan *b);
/* "name: zfree\nID: …\nformat:\n…" */
void fetch_format_text(const struct fetch_plan *plan, const struct fetch_format *format, const char *event, uint32_t id,
		       struct strbuf *ret);
