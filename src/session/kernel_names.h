/*
 * Symbols of the kernel by name, with the files of their modules, for `kallsyms`.
 *
 *	err = kernel_names_find(sys, NULL, names, nr, &n);    *ret in any case
 *	kernel_names_text(&n, false, out);
 *	kernel_names_deinit(&n);
 *
 * Names are borrowed. Source of the text: perf-kallsyms(1).
 */
#pragma once
#include "base/out.h"
#include "symbol/kallsyms_names.h"
#include "sys/kernel_modules.h"
#include "table/table.h"

struct kernel_names {
	const char *const *names;
	size_t names_nr;
	kallsyms_places places;
	struct strbuf text; /* of the list of symbols */
	struct kernel_modules modules;
};

/* kallsyms: a list in place of the running kernel's, or NULL. ERROR_PERMISSION if addresses are hidden. */
struct strobe_error *kernel_names_find(const struct sys *sys, const char *kallsyms, const char *const *names, size_t names_nr,
				       struct kernel_names *ret) _must_check_;
/* A line for the first symbol of each name, or for all. */
void kernel_names_text(const struct kernel_names *n, bool all, struct out *out);
/* All of them; inits *t. */
void kernel_names_table(const struct kernel_names *n, struct table *t);
void kernel_names_deinit(struct kernel_names *n);
