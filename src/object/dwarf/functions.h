/*
 * DWARF from names and source lines to addresses: where functions have code, where they were inlined, and statements of lines.
 *
 * All of it reads the debug information when it is called and keeps little: these are questions of a command, not of each sample.
 * Thread-safe as dwarf.h is. Strings live until dwarf_destroy(). Addresses are ELF virtual addresses.
 * Source: the DWARF standards 2 to 5.
 */
#pragma once
#include "object/dwarf/dwarf.h"
#include "object/dwarf/die.h"

struct dwarf_unit;

/* The code of a function: its own, or that of one place where it was inlined. */
struct dwarf_code {
	struct dwarf_unit *unit;  /* of compilation */
	const char *name;         /* in the source; NULL: not known */
	const char *linkage_name; /* NULL: the same, or not known */
	const char *file;         /* declared in: full path; NULL: not known */
	uint32_t line;            /* declared at; 0: not known */
	uint64_t entry;           /* where it begins to run */
	bool is_inlined;
	const char *call_file;    /* where it was inlined, or NULL */
	uint32_t call_line;
};

/*
 * Calls fn for all code of functions whose name in the source, or linkage name, matches. name: the only one that does, without a version
 * or with any, which makes the search fast; NULL: several may.
 */
void dwarf_each_code(struct dwarf *d, const char *name, bool (*matches)(void *ctx, const char *name),
		     void (*fn)(void *ctx, const struct dwarf_code *code), void *ctx);
/* Calls fn for all code of a unit, functions before what was inlined into them, with the addresses of each. */
void dwarf_each_code_of(struct dwarf_unit *u,
			void (*fn)(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n), void *ctx);
/* What the code at an address belongs to, innermost first, as dwarf_frames(); 0: not known. */
unsigned dwarf_code_at(struct dwarf *d, uint64_t addr, struct dwarf_code ret[DWARF_FRAMES_MAX]);

/*
 * Whether the function that begins at an address keeps parameters in its own frame, as code without optimisation does: they are there
 * once its prologue has stored them, which ends at *ret, the second row of its lines.
 */
bool dwarf_prologue(struct dwarf *d, uint64_t entry, uint64_t *ret);

/* A place where the code of a source line begins. */
struct dwarf_statement {
	uint64_t addr;
	const char *file; /* full path */
	uint32_t line;
};

/*
 * Calls fn for the statements of the unit, by address: rows of its line table that begin one, then what compilers may leave out there:
 * the lines that functions are declared at, at their entries, and the lines of calls that were inlined, where those begin. codes: all of
 * dwarf_each_code_of().
 */
void dwarf_each_statement(struct dwarf_unit *u, const struct dwarf_code *codes, size_t n,
			  void (*fn)(void *ctx, const struct dwarf_statement *s), void *ctx);
/* Calls fn for each unit with code whose line table names a file that matches, by its full path. */
void dwarf_each_unit_of(struct dwarf *d, bool (*matches)(void *ctx, const char *path), void (*fn)(void *ctx, struct dwarf_unit *u),
			void *ctx);
