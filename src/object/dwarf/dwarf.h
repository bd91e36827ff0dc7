/*
 * DWARF 2-5 by our own reader: address -> function, what was inlined there, and source lines.
 *
 * A `struct dwarf` reads the debug information of one object (borrowed, as its supplement is) and keeps what it made of
 * it. Creating one looks at the roots of the compile units only; the line table and the functions of a unit are read when
 * an address in it is first requested, and the inlined calls of a function when one in it is. All functions may be called
 * from several threads: each unit has a lock for what is made in it. Strings live until dwarf_destroy().
 *
 * The bytes are hostile: whatever points outside is absent, chains of references are bounded, and a unit that cannot be
 * understood is skipped. Addresses are ELF virtual addresses. Sources: the DWARF standards 2 to 5, and the wiki pages
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
	 * Opens a .dwo or .dwp by the path that the debug information or the object's name gives; NULL = there is none. id: of the
	 * unit that has to be in a .dwo, 0 for a .dwp. What it returns is closed by dwarf_destroy(). Never called by two threads at
	 * a time. NULL: split units have lines only.
	 */
	struct object *(*open_split)(void *ctx, const char *path, uint64_t id);
	/*
	 * Keeps a name for as long as the caller needs it, past dwarf_destroy(), and returns what frames have as `kept`. From several
	 * threads. NULL: frames have `name`.
	 */
	const void *(*keep_name)(void *ctx, const char *name);
	/* The same for a name that is in dwarf_take_strings(), equal for equal places; not NULL where keep_name is not. */
	const void *(*keep_place)(void *ctx, uint64_t place);
	void *ctx;
	/*
	 * Addresses that will be requested, in ascending order and borrowed: of a function with any of them, only what is there is read.
	 * Others may be requested too, and are read again.
	 */
	const uint64_t *expected;
	size_t expected_nr;
};

/* NULL where the object has no debug information. */
struct dwarf *dwarf_create(struct object *o, struct dwarf_files files);
void dwarf_destroy(struct dwarf *d);
/*
 * Gives back the memory that pages of the files take which were read: those that are still needed are mapped again, from the system's
 * cache. At any time, from any thread.
 */
void dwarf_rest(const struct dwarf *d);

#define DWARF_FRAMES_MAX 64 /* deepest nesting of inlined calls that is returned */

/* What the code at an address belongs to, innermost first; each but the last was inlined into the next. */
struct dwarf_frame {
	/* As linked where the debug information has that, else as in the source; NULL = not known. It lives until dwarf_destroy(). */
	const char *name;
	const void *kept; /* in place of name: what keep_name() or keep_place() returned for it */
	const char *file; /* full path, NULL = not known */
	uint32_t line, column; /* 0 = not known */
	bool inlined;
};

/* Where the names of keep_place() are, which is open on its own: the caller may outlive the struct dwarf with it, and closes fd. */
struct dwarf_strings {
	int fd;
	uint64_t offset, bytes; /* no bytes: there are none, and no fd */
};
struct dwarf_strings dwarf_take_strings(struct dwarf *d);
/*
 * The names at n places, which ascend, one after the other: each is borrowed for the call. Places that are near each other are read at
 * once. A name that can no longer be read is passed as NULL. From several threads.
 */
void dwarf_read_names(const struct dwarf_strings *s, const uint64_t *places, size_t n,
		      void (*fn)(void *ctx, size_t i, const char *name, size_t bytes), void *ctx);

/* Returns how many; 0 where no function of the debug information is at addr. Its line may be known nevertheless. */
unsigned dwarf_frames(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX]);
/* The same without files, lines and columns: line tables are not even unpacked for it. */
unsigned dwarf_functions(struct dwarf *d, uint64_t addr, struct dwarf_frame ret[DWARF_FRAMES_MAX]);
/* File and line alone: cheaper. False where none is known. */
bool dwarf_line(struct dwarf *d, uint64_t addr, struct dwarf_frame *ret);
/* Calls fn for each row of the line table of the unit at addr, for listings of source; ends with line 0 after a sequence. */
void dwarf_each_line(struct dwarf *d, uint64_t addr,
		     void (*fn)(void *ctx, uint64_t addr, const char *file, uint32_t line), void *ctx);
/* Calls fn for each unit whose functions are in a .dwo, with the path of that, for as long as it returns true. */
void dwarf_each_split(struct dwarf *d, bool (*fn)(void *ctx, const char *path, uint64_t id), void *ctx);
