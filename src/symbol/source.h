/*
 * Address -> source line and inlined functions, from the debug information of a DSO.
 *
 * The debug information is looked for on the first question: in the file itself, in the separate file that symbols came
 * from, in the build-id cache, then where object_find_debug() looks (build-id directory, .gnu_debuglink). Of the kernel it
 * is in a vmlinux that gave the names, too; of a module in its file, relocated to where it was loaded. Thread-safe, and
 * quick in parallel: units of compilation are read under locks of their own. What is given out lives for the session, but
 * for the paths of files, which live until dso_source_forget(), and inlined functions: see dso_source_give_names().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"

struct arena;

#define SOURCE_FRAMES_MAX 64

struct source_frame {
	const struct symbol *symbol; /* of an inlined function: its name, over the range of the symbol it is in */
	const char *file;            /* full path, or NULL */
	uint32_t line;
	bool inlined;
};

/*
 * Reads what all answers about the DSO need, which the first of them else does while others wait: where several DSOs are
 * used by several threads, each begins with another.
 */
void dso_source_load(struct dso *d);
/*
 * Addresses that will be requested, in ascending order: of functions, only what is there is read then. For debug information that has
 * not been read, until it is forgotten. Not while another thread looks something up.
 */
void dso_source_expect(struct dso *d, const uint64_t *addrs, size_t n);
/*
 * From now on until dso_source_read_names() the linkage names of inlined functions are not read where they are found, a call of the
 * system for each, and symbols of such functions have no raw_name. Not while another thread looks something up.
 */
void dso_source_defer_names(struct dso *d);
/*
 * Reads those names, in the order of the file, and makes what dso_symbol_name() returns for them. Likewise. Returns how many symbols of
 * inlined functions were given out.
 */
uint32_t dso_source_read_names(struct dso *d, unsigned threads);
/* What they are, with length and hash_bytes(); false of a name that was not deferred. */
struct symbol_text {
	const char *s;
	size_t bytes;
	uint64_t hash;
};
bool dso_inlined_texts(const struct symbol *inlined, struct symbol_text *ret_shown, struct symbol_text *ret_linked);
/* Frees what was read, but for names that are deferred; it is read again when needed. Not while another thread looks something up. */
void dso_source_forget(struct dso *d);
/*
 * Frees the symbols of inlined functions that were given out, once no caller has any of them. Their names (linkage names, and those of
 * dso_symbol_name()) stay where they are, and belong to `to` from then on.
 */
void dso_source_give_names(struct dso *d, struct arena *to);
/* Gives back what pages of its files take that were read, now and then during many look-ups. At any time, from any thread. */
void dso_source_rest(struct dso *d);
/*
 * The functions over an address, innermost first; the last is `outer`, what dso_symbol() says, and the others were inlined
 * into it. Returns 0 where nothing is known: neither inlines nor a line.
 */
unsigned dso_source(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX]);
/* The same without files and lines, of which nothing is read; 0 where no function is known. */
unsigned dso_functions(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX]);
/* File and line alone; false where they are not known. */
bool dso_source_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line);
/* Where the debug information came from, NULL where there is none or it was not needed; for -v. */
const char *dso_source_origin(struct dso *d);
