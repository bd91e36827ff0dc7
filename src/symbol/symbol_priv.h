/*
 * What the files of symbol/ share: the session, the DSO, and the list of sources.
 *
 * A source is one way to get the symbols of a DSO: a descriptor in the ordered list of symbols.c. Loading runs under
 * the DSO's lock; what it leaves in the DSO is read-only afterwards.
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

/* A name of the debug information, once for all that have it: functions are inlined in many places. */
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

/* A symbol that was looked up; others are never made. */
struct made_symbol {
	struct symbol symbol;
	_Atomic(const char *) shown; /* demangled; NULL until needed */
	struct kept_name *kept;      /* of inlined functions: shown is there */
};

/* A stretch of kernel memory with one symbol, from a KSYMBOL record: found by its map. */
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
	char *own_names;                /* of the table, where they lie in no file */
	int64_t shift;                  /* table address + shift = address in the DSO's space */
	_Atomic(struct made_symbol *) *made; /* by entry */
	struct object *object;          /* the file that is mapped: translates addresses */
	struct object *symbols_object;  /* a separate debug file, where the names lie */
	struct jitdump *jitdump;        /* of MAPPED_JIT, or NULL */
	struct dso_scripts *scripts;    /* of MAPPED_SCRIPT, or NULL */
	VEC(struct ksymbol_range) ranges;
	_Atomic(struct dso_slots *) slots; /* slots.c; NULL until one is requested */
	_Atomic(struct dso_functions *) functions; /* functions.c; NULL until an address has no symbol */
	_Atomic(struct dso_source *) source_lines; /* source.c; NULL until a line is requested */

	/* Where the kernel or module was when it was recorded, from the first map that was looked up; 0 = not known.
	 */
	_Atomic uint64_t recorded_base;

	const char *source, *problem, *long_name; /* in arena or static */
	VEC(struct dso_try) tries;
	bool has_symtab, met_another; /* met_another: a file with a build-id that was not recorded */
};

/* Says why there are no right symbols; the first problem stays. */
void dso_problem(struct dso *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Enters what became of a path; under d->lock. The path is copied. */
void dso_tried(struct dso *d, const char *path, const char *outcome);

struct symbol_source {
	const char *name;
	uint32_t kinds; /* bits 1 << enum mapped_kind */
	/* Fills the DSO and returns true; or leaves it, says the problem where that is worth saying, and returns false.
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

/* Reads symbols into d->table and, where there are any, sets d->has_table. */
void elf_load_table(struct dso *d, const struct elf_load *from);
/*
 * Opens path as the file of this DSO; on ERROR_NOT_FOUND and on a build-id other than the recorded one the object stays
 * NULL and the problem is said.
 */
bool elf_open_checked(struct dso *d, const char *path, uint32_t pid, struct object **ret);
/* Whether an object has the recorded build-id (or none was recorded); says the problem where it has not. */
bool elf_matches(struct dso *d, const struct object *o, const char *path);
void dso_source_destroy(struct dso_source *s);
/* Whether a name of the DSO is shown demangled. */
bool dso_demangles(const struct dso *d, const char *raw_name);
/* The name to show; fresh: what it is demangled to, or NULL where it is shown as it is. Thread-safe; the first one is kept. */
const char *kept_name_show(struct kept_name *k, const char *fresh);
void dso_slots_destroy(struct dso_slots *s);
/* Opens its files and reads its table of symbols, once; again where another process may have the file that was missing. */
void dso_load(struct dso *d);
/* The function at an address that no symbol covers, with a name made of its address; NULL where none is known. d is loaded. */
const struct symbol *dso_function(struct dso *d, uint64_t addr);
#define SYMBOL_HAS_FUNCTIONS (1u << MAPPED_FILE | 1u << MAPPED_VDSO)
void dso_scripts_destroy(struct dso_scripts *s);
/* Of a DSO of the kind MAPPED_SCRIPT: the function (d is loaded), the line of an instruction. */
const struct symbol *dso_script_symbol(struct dso *d, uint64_t addr);
bool dso_script_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line);
void dso_functions_destroy(struct dso_functions *f);
/*
 * The file of a module, from its path or from the build-id cache, for the caller to close; NULL where it is not at hand, or
 * modules were not looked up. ret_path lives as long as the DSO. Under d->lock.
 */
struct object *module_open(struct dso *d, const char **ret_path);
/* DIR/.build-id/ab/cdef….debug where distributions keep debug files; NULL where no build-id was recorded. */
const char *elf_debug_path(struct dso *d);
/*
 * A separate debug file of an object of the DSO that is_usable() accepts, for the caller to close; NULL: there is none. From the
 * build-id cache, or where object_find_debug() looks. Under d->lock.
 */
struct object *elf_open_debug(struct dso *d, struct object *of, bool (*is_usable)(const struct object *o));
/* The build-id as text. */
const char *dso_hex(struct dso *d, const uint8_t *id, size_t n);

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
 * The session's kernel symbols, read on the first question: of the file that was named, of the recording where that has a copy of
 * the kernel, of the build-id cache where that has those of the recorded kernel and another one is running, else of the running
 * kernel. NULL (and problem said) where there are none. Thread-safe.
 */
const struct kallsyms *symbols_kallsyms(struct dso *d, const char **ret_problem);
/* The folder in the recording that has its kernel's symbols and code (record --kcore), unless others were named; or NULL. */
const char *symbols_recorded_kernel(const struct symbols *s);
/* DIR/.build-id/ab/cdef…/NAME of the build-id cache; NULL where there is no cache, or no build-id. */
const char *dso_cached_path(struct dso *d, const char *name);
