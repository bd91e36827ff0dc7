/*
 * Address → function, from an ordered list of sources (ELF, kallsyms, vDSO, perf map …).
 *
 * One `symbols` per session. A DSO is loaded on its first look-up; loading different DSOs in parallel and looking up from
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

/* Callbacks for processes of the recording that still run. Called from several threads. */
struct symbols_processes {
	/* Opens the path in the process's view: a descriptor, -errno, or SYMBOLS_SAME_FILES. */
	int (*open)(void *ctx, uint32_t pid, const char *path);
	/* Opens the file that it has mapped from that path, even if deleted or replaced since: a descriptor, or -errno. */
	int (*open_mapped)(void *ctx, uint32_t pid, const char *path);
	/* Its PID in its own namespace (container), for file names with it. */
	uint32_t (*inner_pid)(void *ctx, uint32_t pid);
	/* Whether it runs as that user. */
	bool (*runs_as)(void *ctx, uint32_t pid, uint32_t uid);
	/* What the kernel of the recording maps into 32-bit programs as [vdso]: an ELF file, owned, or NULL. */
	void *(*read_compat_vdso)(void *ctx, size_t *ret_bytes);
	/* Called once, with the recording that it belongs to. */
	void (*attach)(void *ctx, struct machine *machine);
};

struct symbols_options {
	const char *symfs;        /* where all files are: object/sysroot.h, or NULL */
	const char *vmlinux, *kallsyms; /* given files, or NULL */
	const char *buildid_dir;  /* ~/.debug or --buildid-dir; NULL = none */
	bool ignore_vmlinux, ignore_vmlinux_buildid;
	bool no_modules;          /* do not read files of kernel modules */
	bool no_demangle, demangle_kernel;
	bool no_functions;        /* code without symbols has no names */
	struct debuginfod *debuginfod; /* servers for missing files, or NULL; borrowed */
	bool live;                /* a live session, which must not wait for servers */
	bool no_symbols;          /* only objects of files are needed, for unwinding: load no names */
	bool trust_all;           /* trust JIT files of other users, too */
	/* Files of running processes; NULL: use only our own view. */
	const struct symbols_processes *processes;
	void *processes_ctx;
};

struct symbols;
struct dso;
struct object;

struct symbols *symbols_create(const struct env *env, struct symbols_options options);
void symbols_destroy(struct symbols *s);

/* The only DSO of a mapped file. Thread-safe. */
struct dso *symbols_dso(struct symbols *s, const struct mapped_file *file);
/*
 * Converts an address of a process to the DSO's space: ELF virtual address for files (by the program headers), unchanged
 * for kernels, perf maps and others. Reports show this address, and symbols are sorted by it.
 */
uint64_t dso_address(struct dso *d, const struct map *map, uint64_t ip);
/*
 * Whether the address is in any segment of map's file: data and zeroed memory are at fixed offsets from code by the program headers. *ret:
 * in the DSO's space.
 */
bool dso_holds(struct dso *d, const struct map *map, uint64_t address, uint64_t *ret);
/* The best symbol over addr, else the function there (dso_functions_named()), or NULL. Loads the DSO on first use. */
const struct symbol *dso_symbol(struct dso *d, uint64_t addr);
/*
 * The number of functions without a symbol that were looked up. Their names consist of object and address,
 * "python3.11!func_10ba00"; start and end come from unwind information.
 */
uint32_t dso_functions_named(struct dso *d);
/* Calls fn for all symbols, each borrowed for the call. */
void dso_each_symbol(struct dso *d, void (*fn)(void *ctx, const struct symbol *sym), void *ctx);
/* The demangled name (cached), or the raw name. Thread-safe. */
const char *dso_symbol_name(struct dso *d, const struct symbol *sym);

/*
 * The bytes of code at an address of the DSO's space, and their number up to the end of the segment, from the file, which for
 * the kernel means unpatched. NULL: no file is available. Live for the session.
 */
const void *dso_code(struct dso *d, uint64_t addr, size_t *ret_bytes);
/* Whether its file has been truncated meanwhile: bytes read since may be zeros. */
bool dso_is_cut(struct dso *d);

/*
 * For the kernel and its modules without a file: copies n bytes of the running kernel's memory, or of its copy in the build ID
 * cache, to buf. Errors have the reason: another kernel was recorded and not copied, or /proc/kcore cannot be read.
 */
struct strobe_error *dso_kernel_code(struct dso *d, uint64_t addr, void *buf, size_t n) _must_check_;

/*
 * The mapped file, checked against the recorded build ID, or NULL; *ret_debug: a separate debug file, or NULL. Both live for the
 * session, and are read-only.
 */
struct object *dso_object(struct dso *d, struct object **ret_debug);

/*
 * The name of a slot of the global offset table, "printf@got"; NULL: not a slot. Lives as long as the session; the table is read
 * once per DSO.
 */
const char *dso_slot_name(struct dso *d, uint64_t addr);

/* Whether the function at addr is Thumb code of an arm file. */
bool dso_is_thumb(struct dso *d, uint64_t addr);

/* The section of its file that contains addr, ".text"; NULL: none. */
const char *dso_section_name(struct dso *d, uint64_t addr);

/* The jitdump of a DSO of the kind MAPPED_JIT; NULL: unreadable. Lives for the session. */
struct jitdump;
const struct jitdump *dso_jitdump(struct dso *d);

struct dso_facts {
	const char *long_name;   /* path that symbols came from or would come from; e.g. vmlinux's path */
	const char *source;      /* "elf", "kallsyms", "perf map", "jitdump", "vdso"; NULL: nothing was found */
	const char *problem;     /* one line: why there are no (right) symbols; NULL when all is well */
	bool loaded;
	uint8_t build_id[RECORD_BUILD_ID_MAX];
	uint8_t build_id_len;
	bool is_64bit, has_symtab;
	bool replaced;           /* only a file other than the recorded one was found */
};
struct dso_facts dso_facts(struct dso *d);

/* Paths that were tried, in order, with the results: "no such file", "taken", "its build-id is …". */
struct dso_try {
	const char *path, *outcome;
};
/* Only while no other thread uses the DSO. */
size_t dso_tries(struct dso *d, const struct dso_try **ret);
/* The object of that build ID, where it is open already, else NULL. Thread-safe; it lives for the session. */
struct object *symbols_open_object(struct symbols *s, const char *hex);
/* The used DSOs, in machine order; not during look-ups by other threads. */
void symbols_each_dso(struct symbols *s, void (*fn)(void *ctx, struct dso *d), void *ctx);
/* The number of loaded symbols of files, some 40 bytes each; likewise. */
uint64_t symbols_held(const struct symbols *s);
