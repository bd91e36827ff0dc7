/*
 * A DSO as a source of code: bytes of the mapped file (for the kernel, without a file, of the running one), symbols (including PLT
 * stubs and slots of the global offset table), places from its debug information.
 *
 * The struct dso_code is owned by the caller and must not move while the source is used. One thread per source.
 */
#pragma once
#include "annotate/annotate.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

struct dso_code {
	struct dso *dso;
	const struct arch *arch;     /* of the recording: used if the DSO is not an ELF file */
	const struct mapped_file *file;
	const struct symbol *symbol; /* at the last address that was looked up */
	struct arena arena;          /* for code without a file, and for hindrance */
	const char *hindrance;       /* why the running kernel's memory could not be used, or NULL */
};

void dso_code_init(struct dso_code *c, struct dso *dso, const struct mapped_file *file, const struct arch *arch);
void dso_code_deinit(struct dso_code *c);
/* May be called again for each function. */
struct code_source dso_code_source(struct dso_code *c);
/* The function at [start, end) of a mapping of a profile for this DSO: everything except names and events. Borrows from both. */
struct annotate_function dso_code_function(const struct dso_code *c, const struct profile *p, mapping_id mapping, uint64_t start,
					   uint64_t end);
/* The error for missing bytes: what is missing, and what to do. what: a function's name, or "3 functions". */
struct strobe_error *dso_code_missing(const struct dso_code *c, const char *what) _must_check_;
