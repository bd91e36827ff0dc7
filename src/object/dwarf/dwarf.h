/*
 * A reader of DWARF 2-5: address -> function, inlined functions, and source lines.
 *
 * A `struct dwarf` reads the debug information of one object (borrowed, as its supplement) and caches the results.
 * Creating one only reads the roots of the compile units; the line table and the functions of a unit are read when an
 * address in it is first requested, and the inlined calls of a function likewise. All functions may be called from
 * several threads: each unit has a lock for its cache. Strings live until dwarf_destroy().
 *
 * The input is untrusted: references outside of it count as absent, chains of references are bounded, and a damaged unit is
 * skipped. Addresses are ELF virtual addresses. Sources: the DWARF standards 2 to 5, and the wiki pages
 * of GCC on DebugFission (split DWARF of version 4) and of dwz (DW_FORM_GNU_ref_alt).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

struct dwarf;

struct dwarf_files {
	/* The supplement that .gnu_debugaltlink names (dwz), borrowed; or NULL. */
	struct object *supplement;
	/*
	 * Opens a .dwo or .dwp by the path in the debug information or derived from the object's name; returns NULL if there is
	 * none. id: of the unit that must be in a .dwo, 0 for a .dwp. dwarf_destroy() closes the result. Never called by two
	 * threads at a time. NULL: split units only have lines.
	 */
	struct object *(*open_split)(void *ctx, const char *path, uint64_t id);
	/*
	 * Stores a name for the caller, beyond dwarf_destroy(), and returns the value of `kept` in frames. Called from several threads.
	 * NULL: frames have `name`.
	 */
	const void *(*keep_name)(void *ctx, const char *name);
	/* The same for a name in dwarf_take_strings(); must return equal values for equal places. Set if keep_name is. */
	const void *(*keep_place)(void *ctx, uint64_t place);
	void *ctx;
	/*
	 * Addresses that will be requested, in ascending order and borrowed: of a function with any of them, only what is there is read.
	 * Others may be requested too, and are read again.
	 */
	const uint64_t *expected;
	size_t expected_nr;
};

/* NULL: the object has no debug information. */
struct dwarf *dwarf_create(struct object *o, struct dwarf_files files);
void dwarf_destroy(struct dwarf *d);
/*
 * Releases the pages of the files that were read; those still needed are mapped again from the page cache. May be called at any time,
 * from any thread.
 */
void dwarf_rest(const struct dwarf *d);

#define DWARF_FRAMES_MAX 64 /* maximum nesting of inlined calls returned */

/* The functions at an address, innermost first; each but the last was inlined into the next. */
struct dwarf_frame {
	/* The linkage name if the debug information has one, else the name in the source; NULL = unknown. Lives until dwarf_destroy(). */
	const char *name;
	const void *kept; /* in place of name: the result of keep_name() or keep_place() */
	const char *file; /* full path, NULL = not known */
	uint32_t line, column; /* 0 = not known */
	bool inlined;
};

/* The section with the names of keep_place(), with a separate descriptor, which the caller closes: it may outlive the struct dwarf. */
struct dwarf_strings {
	int fd;
	uint64_t offset, bytes; /* bytes 0: no such names, and no fd */
};
struct dwarf_strings dwarf_take_strings(struct dwarf *d);
/*
 * Calls fn with the names at n ascending places, each borrowed for the call. Adjacent places are read at once. A name that can no longer
 * be read is NULL. Thread-safe.
 */
void dwarf_read_names(const struct dwarf_strings *s, const uint64_t *places, size_t n,
		      void (*fn)(void *ctx, size_t i, const char *name, size_t bytes), void *ctx);

/* Returns the number; 0: no function at addr, though its line may be known. */
unsigned dwarf_frames(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX]);
/* The same without files, lines and columns: line tables are not even decompressed. */
unsigned dwarf_functions(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX]);
/* Only file and line, which is faster. False: unknown. */
bool dwarf_line(struct dwarf *d, uint64_t addr, struct dwarf_frame *ret);
/* Calls fn for each row of the line table of the unit at addr, for source listings; line 0 after a sequence. */
void dwarf_each_line(struct dwarf *d, uint64_t addr,
		     void (*fn)(void *ctx, uint64_t addr, const char *file, uint32_t line), void *ctx);
/* Calls fn for each unit whose functions are in a .dwo, with the path of that, for as long as it returns true. */
void dwarf_each_split(struct dwarf *d, bool (*fn)(void *ctx, const char *path, uint64_t id), void *ctx);
