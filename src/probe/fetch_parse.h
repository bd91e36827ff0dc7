/*
 * Fetch arguments as tracefs takes them ("p=+8(%di):x32") → plans for a BPF program (fetch_plan.h), and the format of the event that they
 * make, as tracefs would have it.
 *
 * What tracefs refuses is refused, with the reason; $argN is known at the entry of a program's functions, too. Source: the kernel's
 * kprobetrace.rst, uprobetracer.rst.
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
	const struct arch *arch; /* of the program; of the kernel the machine's */
	bool is_kernel, is_return;
	bool is_entry;           /* of a function that was called */
	uint64_t offset;         /* in the file of a program */
	/* The address of a symbol of the kernel; NULL: none is known. */
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

/* A plan without arguments. */
void fetch_plan_begin(struct fetch_plan *plan, const struct fetch_place *place);
/* Adds an argument and its field. Strings live in the arena. ERROR_USAGE, ERROR_UNSUPPORTED. */
struct strobe_error *fetch_plan_add(struct fetch_plan *plan, struct fetch_format *format, const char *text, const struct fetch_place *place,
				    struct arena *arena) _must_check_;
/* Whether two plans make the same fields. */
bool fetch_plan_is_alike(const struct fetch_plan *a, const struct fetch_plan *b);
/* "name: zfree\nID: …\nformat:\n…" */
void fetch_format_text(const struct fetch_plan *plan, const struct fetch_format *format, const char *event, uint32_t id,
		       struct strbuf *ret);
