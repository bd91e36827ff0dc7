/*
 * DWARF look-ups from names and source lines to addresses: code of functions, their inlined calls, and statements of lines.
 *
 * Functions read the debug information on each call and cache little: they are meant for single look-ups, not for each sample.
 * Thread-safe as dwarf.h is. Strings live until dwarf_destroy(). Addresses are ELF virtual addresses.
 * Source: the DWARF standards 2 to 5.
 */
#pragma once
#include "object/dwarf/dwarf.h"
#include "object/dwarf/die.h"

struct dwarf_unit;

/* Code of a function: its own, or that of one inlined call. */
struct dwarf_code {
	struct dwarf_unit *unit;  /* of compilation */
	const char *name;         /* in the source; NULL: unknown */
	const char *linkage_name; /* NULL: the same, or not known */
	const char *file;         /* declared in: full path; NULL: unknown */
	uint32_t line;            /* declared at; 0: unknown */
	uint64_t entry;           /* entry address */
	bool is_inlined;
	const char *call_file;    /* location of the inlined call, or NULL */
	uint32_t call_line;
};

/*
 * Calls fn for all code of functions whose source name or linkage name matches. name: the only matching one, with any version, which
 * makes the search fast; NULL: several may match.
 */
void dwarf_each_code(struct dwarf *d, const char *name, bool (*matches)(void *ctx, const char *name),
		     void (*fn)(void *ctx, const struct dwarf_code *code), void *ctx);
/* Calls fn for all code of a unit, with its addresses, functions before those inlined into them. */
void dwarf_each_code_of(struct dwarf_unit *u,
			void (*fn)(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n), void *ctx);
/* The functions at an address, innermost first, as dwarf_frames(); 0: unknown. */
unsigned dwarf_code_at(struct dwarf *d, uint64_t addr, struct dwarf_code ret[DWARF_FRAMES_MAX]);

/*
 * Whether the function at an address keeps parameters in its own frame, as unoptimised code does: they are valid after its prologue,
 * which ends at *ret, the second row of its lines.
 */
bool dwarf_prologue(struct dwarf *d, uint64_t entry, uint64_t *ret);

/* The start of the code of a source line. */
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
