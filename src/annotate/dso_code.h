/*
 * A DSO as a source of code: bytes of the file that is mapped (of the kernel, if there is none, those of the running
 * one), symbols (PLT stubs and slots of the global offset table among them), places from its debug information.
 *
 * The struct dso_code is the caller's and must stay where it is for as long as the source is used. One thread for each source.
 */
#pragma once
#include "annotate/annotate.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

struct dso_code {
	struct dso *dso;
	const struct arch *arch;     /* of the recording: where the DSO is not an ELF file */
	const struct mapped_file *file;
	const struct symbol *symbol; /* over the last address that was looked up */
	struct arena arena;          /* of code that lies in no file, and of the hindrance */
	const char *hindrance;       /* why the running kernel's memory did not serve, or NULL */
};

void dso_code_init(struct dso_code *c, struct dso *dso, const struct mapped_file *file, const struct arch *arch);
void dso_code_deinit(struct dso_code *c);
/* May be made again for each function. */
struct code_source dso_code_source(struct dso_code *c);
/* What is at [start, end) of a mapping of a profile that is of this DSO: all but names and events. Borrows from both. */
struct annotate_function dso_code_function(const struct dso_code *c, const struct profile *p, mapping_id mapping, uint64_t start,
					   uint64_t end);
/* Why there are no bytes of it: what is missing, and what to do. what: a function's name, or "3 functions". */
struct strobe_error *dso_code_missing(const struct dso_code *c, const char *what) _must_check_;
