/*
 * Shared by the files of symbol/: the session, the DSO, and the list of sources.
 *
 * A source is one way to get the symbols of a DSO: a descriptor in the ordered list of symbols.c. Loading runs under the
 * DSO's lock; its results are read-only afterwards.
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/vector.h"
#include "object/object.h"
#include "symbol/jitdump.h"
#include "symbol/kallsyms.h"
#include "symbol/source.h"
#include "symbol/symbol.h"
#include "symbol/symtable.h"

/* An interned name of the debug information: functions are inlined in many places. */
struct inlined_share;
struct made_symbol;
struct kept_name {
	const char *text;            /* NULL until dso_source_read_names(), where that reads it */
	uint64_t place;              /* of dwarf_read_names(), or KEPT_NO_PLACE */
	_Atomic(const char *) shown; /* demangled; NULL until it is needed */
	struct inlined_share *share;
	_Atomic(struct made_symbol *) recent; /* of it, looked up last: neighbours are mostly inlined into one function */
	struct symbol_text linked_text, shown_text; /* of names that dso_source_read_names() has read */
};
#define KEPT_NO_PLACE UINT64_MAX

/* A symbol that was looked up; created on first use. */
struct made_symbol {
	struct symbol symbol;
	_Atomic(const char *) shown; /* demangled; NULL until needed */
	struct kept_name *kept;      /* of inlined functions: shown is there */
};

/* A range of kernel memory with one symbol, from a KSYMBOL record; found by its map. */
struct ksymbol_range {
	uint64_t start, end;
	struct made_symbol *made;
};

struct dso_source;
struct dso_slots;
struct dso_functions;
struct dso_scripts;

#define DSO_SETTLED UINT64_MAX

struct dso {
	struct symbols *session;
	const struct mapped_file *file;
	pthread_mutex_t lock; /* of loading, the arena, made and ranges */
	struct arena arena;

	_Atomic bool loaded;
	/* DSO_SETTLED, or last_pid of a file that could not be opened, stored after all else: see dso_load(). */
	_Atomic uint64_t settled;
	unsigned loads_nr;
	/* Either of the two, or neither: no symbols. */
	const struct kallsyms_list *kernel; /* the session's */
	bool has_table;
	struct symtable table;
	char *own_names;                /* of the table, if not in a file */
	int64_t shift;                  /* table address + shift = address in the DSO's space */
	_Atomic(struct made_symbol *) *made; /* by entry */
	struct object *object;          /* the mapped file: converts addresses */
	struct object *symbols_object;  /* a separate debug file with the names */
	struct jitdump *jitdump;        /* of MAPPED_JIT, or NULL */
	struct dso_scripts *scripts;    /* of MAPPED_SCRIPT, or NULL */
	VEC(struct ksymbol_range) ranges;
	_Atomic(struct dso_slots *) slots; /* slots.c; NULL until one is requested */
	_Atomic(struct dso_functions *) functions; /* functions.c; NULL until an address has no symbol */
	_Atomic(struct dso_source *) source_lines; /* source.c; NULL until a line is requested */

	/* The recorded address of the kernel or module, from the first map that was looked up; 0 = unknown.
	 */
	_Atomic uint64_t recorded_base;

	const char *source, *problem, *long_name; /* in arena or static */
	VEC(struct dso_try) tries;
	bool has_symtab, found_another; /* found_another: found a file with another build ID than recorded */
};

/* Sets the reason why there are no correct symbols; the first problem is kept. */
void dso_problem(struct dso *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Logs the result of trying a path; under d->lock. The path is copied. */
void dso_tried(struct dso *d, const char *path, const char *outcome);

struct symbol_source {
	const char *name;
	uint32_t kinds; /* bits 1 << enum mapped_kind */
	/* Fills the DSO and returns true; or leaves it unchanged, sets the problem if of interest, and returns false.
	 */
	bool (*load)(struct dso *d);
};

extern const struct symbol_source source_elf, source_vdso, source_perf_map, source_jitdump, source_scripts, source_vmlinux, source_module,
	source_kallsyms;

struct elf_load {
	struct object *object;       /* the file that is mapped */
	struct object *symbols_from; /* a separate debug file with .symtab, or NULL */
	bool demangle;
};

/* Reads symbols into d->table and, if there are any, sets d->has_table. */
void elf_load_table(struct dso *d, const struct elf_load *from);
/*
 * Opens path as the file of this DSO; on ERROR_NOT_FOUND and on another build ID than recorded the object is NULL and the
 * problem is set.
 */
bool elf_open_checked(struct dso *d, const char *path, uint32_t pid, struct object **ret);
/* Whether an object has the recorded build ID (or none was recorded); if not, sets the problem. */
bool elf_matches(struct dso *d, const struct object *o, const char *path);
void dso_source_destroy(struct dso_source *s);
/* Whether a name of the DSO is shown demangled. */
bool dso_demangles(const struct dso *d, const char *raw_name);
/* The name to show; fresh: its demangled form, or NULL if shown unchanged. Thread-safe; the first one is kept. */
const char *kept_name_show(struct kept_name *k, const char *fresh);
void dso_slots_destroy(struct dso_slots *s);
/* Opens its files and reads its table of symbols, once; again where another process may have the file that was missing. */
void dso_load(struct dso *d);
/* The function at an address without a symbol, with a name made of its address; NULL: unknown. d must be loaded. */
const struct symbol *dso_function(struct dso *d, uint64_t addr);
#define SYMBOL_HAS_FUNCTIONS (1u << MAPPED_FILE | 1u << MAPPED_VDSO)
void dso_scripts_destroy(struct dso_scripts *s);
/* For a DSO of the kind MAPPED_SCRIPT: the function (d must be loaded), the line of an instruction. */
const struct symbol *dso_script_symbol(struct dso *d, uint64_t addr);
bool dso_script_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line);
void dso_functions_destroy(struct dso_functions *f);
/*
 * The file of a module, from its path or from the build ID cache, for the caller to close; NULL: not available, or modules are
 * disabled. ret_path lives as long as the DSO. Under d->lock.
 */
struct object *module_open(struct dso *d, const char **ret_path);
/* DIR/.build-id/ab/cdef….debug in the distributions' directory of debug files; NULL: no build ID was recorded. */
const char *elf_debug_path(struct dso *d);
/*
 * A separate debug file of an object of the DSO that is_usable() accepts, for the caller to close; NULL: none. From the build ID
 * cache, or by object_find_debug(). Under d->lock.
 */
struct object *elf_open_debug(struct dso *d, struct object *of, bool (*is_usable)(const struct object *o));
/* The build-id as text. */
const char *dso_hex(struct dso *d, const uint8_t *id, size_t n);
/* Where --symfs has the file, or the path itself. */
const char *dso_below_symfs(struct dso *d, const char *path);

struct symbols {
	const struct env *env;
	struct symbols_options options;
	pthread_mutex_t lock; /* of dsos and kallsyms */
	VEC(struct dso *) dsos; /* by mapped_file id; NULL until needed */
	struct kallsyms kallsyms;
	bool kallsyms_tried;
	char *kallsyms_path; /* of a list in the recording or the build-id cache, or NULL */
	char *kcore_copy;    /* the folder there that has the recorded kernel's code, or NULL */
};

/*
 * The session's kernel symbols, read on first use: of the user's file; of the recording, if it has a copy of the kernel; of the
 * build ID cache, if it has the recorded kernel and another one is running; else of the running kernel. NULL (and problem set):
 * none. Thread-safe.
 */
const struct kallsyms *symbols_kallsyms(struct dso *d, const char **ret_problem);
/* The folder in the recording with its kernel's symbols and code (record --kcore), unless overridden; or NULL. */
const char *symbols_recorded_kernel(const struct symbols *s);
/* DIR/.build-id/ab/cdef…/NAME of the build-id cache; NULL: no cache, or no build ID. */
const char *dso_cached_path(struct dso *d, const char *name);
