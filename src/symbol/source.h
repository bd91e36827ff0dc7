/*
 * Address -> source line and inlined functions, from the debug information of a DSO.
 *
 * Debug information is searched on first use: in the file itself, in the separate file with the symbols, in the build ID
 * cache, then by object_find_debug() (build-id directory, .gnu_debuglink). For the kernel it may be in the vmlinux with
 * the names; for a module in its file, relocated to its load address. Thread-safe, and scalable: compilation units have
 * their own locks. Results live for the session, except paths of files, which live until dso_source_forget(), and inlined
 * functions: see dso_source_give_names().
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
 * Reads the data that all look-ups in the DSO need, which otherwise the first one does while others wait: with several DSOs,
 * each thread begins with another one.
 */
void dso_source_load(struct dso *d);
/*
 * Addresses that will be requested, in ascending order: of functions, only what is there is read then. For debug information that has
 * not been read, until it is forgotten. Not while another thread looks something up.
 */
void dso_source_expect(struct dso *d, const uint64_t *addrs, size_t n);
/*
 * Until dso_source_read_names() the linkage names of inlined functions are not read, which would take a system call each, and symbols of
 * such functions have no raw_name. Not during look-ups by other threads.
 */
void dso_source_defer_names(struct dso *d);
/*
 * Reads those names, in the order of the file, and makes what dso_symbol_name() returns for them. Likewise. Returns how many symbols of
 * inlined functions were given out.
 */
uint32_t dso_source_read_names(struct dso *d, unsigned threads);
/* The names, with length and hash_bytes(); false: the name was not deferred. */
struct symbol_text {
	const char *s;
	size_t bytes;
	uint64_t hash;
};
bool dso_inlined_texts(const struct symbol *inlined, struct symbol_text *ret_shown, struct symbol_text *ret_linked);
/* Frees cached data, except deferred names; it is read again when needed. Not during look-ups by other threads. */
void dso_source_forget(struct dso *d);
/*
 * Frees symbols of inlined functions, which callers must no longer use. Their names (linkage names, and those of dso_symbol_name())
 * remain valid, owned by `to`.
 */
void dso_source_give_names(struct dso *d, struct arena *to);
/* Releases pages of its files that were read, for use during many look-ups. At any time, from any thread. */
void dso_source_rest(struct dso *d);
/*
 * The functions at an address, innermost first; the last is `outer`, the result of dso_symbol(), and the others were inlined
 * into it. Returns 0 if neither inlined functions nor a line are known.
 */
unsigned dso_source(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX]);
/* The same without reading files and lines; 0: no known function. */
unsigned dso_functions(struct dso *d, uint64_t addr, const struct symbol *outer, struct source_frame ret[SOURCE_FRAMES_MAX]);
/* Only file and line; false: unknown. */
bool dso_source_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line);
/* The source of the debug information for -v; NULL: none, or not needed. */
const char *dso_source_origin(struct dso *d);
