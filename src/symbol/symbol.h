/*
 * Address → function: named, ordered sources (ELF, kallsyms, vdso, perf map …), looked up through one function.
 *
 * One `symbols` a session. A DSO is loaded on its first look-up; loading different DSOs in parallel and looking up from
 * several threads are safe (a mutex for each DSO's loading, read-only afterwards). Symbols live for the session.
 * A file whose build-id differs from the recorded one is not used: the DSO then has no symbols and says so.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/machine.h"
#include "record/env.h"

struct symbol {
	uint64_t start, end;  /* in the DSO's address space (see symbols_address); end excluded */
	const char *raw_name; /* as in the symbol table */
	uint8_t binding;      /* STB_LOCAL, STB_GLOBAL, STB_WEAK; ' ' types of kallsyms are mapped to these */
	char type;            /* as nm prints it: t T w W i … */
};

/* The process sees the same files as we do: open those. */
#define SYMBOLS_SAME_FILES (-4096)

/* Who knows the processes of the recording, as far as they still run. Called from several threads. */
struct symbols_processes {
	/* What it opens by that path: a descriptor, -errno, or SYMBOLS_SAME_FILES. */
	int (*open)(void *ctx, uint32_t pid, const char *path);
	/* What it has mapped by that path, though that file was deleted or replaced since: a descriptor, or -errno. */
	int (*open_mapped)(void *ctx, uint32_t pid, const char *path);
	/* What it believes its pid to be (in a container), for names made of it. */
	uint32_t (*inner_pid)(void *ctx, uint32_t pid);
	/* Whether it runs as that user. */
	bool (*runs_as)(void *ctx, uint32_t pid, uint32_t uid);
	/* What the kernel of the recording maps into 32-bit programs as [vdso]: an ELF file, owned, or NULL. */
	void *(*read_compat_vdso)(void *ctx, size_t *ret_bytes);
	/* Called once, with the recording that it belongs to. */
	void (*attach)(void *ctx, struct machine *machine);
};

struct symbols_options {
	const char *symfs;        /* prefix for every path, or NULL */
	const char *vmlinux, *kallsyms; /* given files, or NULL */
	const char *buildid_dir;  /* ~/.debug or what --buildid-dir says; NULL = none */
	bool ignore_vmlinux, ignore_vmlinux_buildid;
	bool no_modules;          /* nothing is looked for in the files of kernel modules */
	bool no_demangle, demangle_kernel;
	bool no_functions;        /* code without symbols has no names */
	struct debuginfod *debuginfod; /* servers for what is not here, or NULL; borrowed */
	bool live;                /* the recording is still being made: no server may hold it up */
	bool no_symbols;          /* of files the objects are needed alone, to unwind: no names are loaded */
	bool trust_all;           /* believe JIT files of other users, too */
	/* Files of running processes; NULL: ours alone are opened. */
	const struct symbols_processes *processes;
	void *processes_ctx;
};

struct symbols;
struct dso;
struct object;

struct symbols *symbols_create(const struct env *env, struct symbols_options options);
void symbols_destroy(struct symbols *s);

/* The DSO of a mapped file; one for each. Thread-safe. */
struct dso *symbols_dso(struct symbols *s, const struct mapped_file *file);
/*
 * The address within the DSO's space for an address of a process: ELF virtual address for files (through the program
 * headers), unchanged for kernels, perf maps and others. This is what reports show and what symbols are sorted by.
 */
uint64_t dso_address(struct dso *d, const struct map *map, uint64_t ip);
/*
 * Whether address is in the file that map is of, wherever else that is mapped: data and zeroed memory lie beside code at the distance that
 * the program headers have. *ret: in the DSO's space.
 */
bool dso_holds(struct dso *d, const struct map *map, uint64_t address, uint64_t *ret);
/* The best symbol over addr, else the function there (dso_functions_named()), or NULL. Loads the DSO on first use. */
const struct symbol *dso_symbol(struct dso *d, uint64_t addr);
/*
 * How many functions were looked up that no symbol covers. Their names are made of the object and the address,
 * "python3.11!func_10ba00"; where they begin and end is known from unwind information.
 */
uint32_t dso_functions_named(struct dso *d);
/* All of its symbols, one after the other: each is borrowed for the call. */
void dso_each_symbol(struct dso *d, void (*fn)(void *ctx, const struct symbol *sym), void *ctx);
/* Demangled for people (memoised; the raw name where nothing is to be demangled). Thread-safe. */
const char *dso_symbol_name(struct dso *d, const struct symbol *sym);

/*
 * The bytes of code at an address of the DSO's space, and how many follow up to the end of their segment: as the file has
 * them, which for the kernel is before it patched itself. NULL where no file is at hand. Live for the session.
 */
const void *dso_code(struct dso *d, uint64_t addr, size_t *ret_bytes);
/* Whether its file was found to have become shorter: what was read of it since may be zeros. */
bool dso_is_cut(struct dso *d);

/*
 * For the kernel and its modules where no file is at hand: n bytes out of the running kernel's memory, or out of the copy of it
 * that the build-id cache has, copied into buf. The message says why there are none: another kernel was recorded and not copied,
 * or /proc/kcore cannot be read.
 */
struct strobe_error *dso_kernel_code(struct dso *d, uint64_t addr, void *buf, size_t n) _must_check_;

/*
 * The file that is mapped, opened and checked against the recorded build-id, or NULL; *ret_debug: a separate debug file, or
 * NULL. Both live for the session, and are read-only.
 */
struct object *dso_object(struct dso *d, struct object **ret_debug);

/*
 * What a slot of the global offset table is for, "printf@got"; NULL where no slot is at addr. Lives as long as the session;
 * the table is read once a DSO.
 */
const char *dso_slot_name(struct dso *d, uint64_t addr);

/* Whether the function that begins at addr is Thumb code of an arm file. */
bool dso_is_thumb(struct dso *d, uint64_t addr);

/* The section of its file that holds addr, ".text"; NULL where it is in none. */
const char *dso_section_name(struct dso *d, uint64_t addr);

/* Of a DSO of the kind MAPPED_JIT: what its compiler wrote; NULL where that cannot be read. Lives for the session. */
struct jitdump;
const struct jitdump *dso_jitdump(struct dso *d);

struct dso_facts {
	const char *long_name;   /* path that symbols came from or would come from; e.g. vmlinux's path */
	const char *source;      /* "elf", "kallsyms", "perf map", "jitdump", "vdso"; NULL where nothing was found */
	const char *problem;     /* one line: why there are no (right) symbols; NULL when all is well */
	bool loaded;
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len;
	bool is_64bit, has_symtab;
	bool replaced;           /* a file was found that is not the recorded one, and none that is */
};
struct dso_facts dso_facts(struct dso *d);

/* Where its files were looked for, in order, and what became of each: "no such file", "taken", "its build-id is …". */
struct dso_try {
	const char *path, *outcome;
};
/* Of a DSO that no thread uses at the moment. */
size_t dso_tries(struct dso *d, const struct dso_try **ret);
/* The object of that build ID, where it is open already, else NULL. Thread-safe; it lives for the session. */
struct object *symbols_open_object(struct symbols *s, const char *hex);
/* Those that were used, in machine order; not while other threads look up. */
void symbols_each_dso(struct symbols *s, void (*fn)(void *ctx, struct dso *d), void *ctx);
/* How many symbols of files are held, some 40 bytes each; likewise. */
uint64_t symbols_held(const struct symbols *s);
