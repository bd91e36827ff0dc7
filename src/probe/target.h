/*
 * The target of probes: a program's file, the running kernel, or one of its modules, with functions and debug information.
 *
 * Addresses are ELF virtual addresses of a file; for the running kernel the current ones. Debug information is searched for when it is
 * first needed (probe/debug.h); for the kernel it is in a vmlinux. One thread at a time.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "probe/functions.h"
#include "probe/installed.h"

struct dwarf;
struct dwarf_code;
struct debuginfod;
struct probe_variables;

/* Directories and files to use; all may be NULL, and are borrowed. */
struct probe_files {
	const char *symfs;          /* where files are: object/sysroot.h */
	const char *vmlinux;        /* of the kernel */
	const char *buildid_dir;
	struct debuginfod *servers;
	int32_t pid;                /* process in whose view paths are; 0: ours */
};

struct probe_target {
	enum probe_kind kind;
	char *name;                 /* of a program its full path, of a module its name; "" the kernel */
	struct object *object;      /* of a program, or the file of a kernel or a module that was named; else NULL */
	struct probe_functions functions; /* once needed: the kernel takes long to list its own */
	bool has_functions;

	const struct sys *sys;
	struct probe_files files;
	struct object *vmlinux;            /* of the running kernel, or NULL */
	struct probe_variables *variables; /* created when needed: from debug information, or from the kernel's BTF */
	bool debug_tried;
	bool is_inline;             /* for inline probes */
	uint64_t shift;             /* address in the target minus address in its debug information */
};

/* All are for probe_target_close(). The running kernel is opened whatever its symbols say. */
struct strobe_error *probe_target_program(const char *path, const struct probe_files *files, struct probe_target *ret) _must_check_;
/* module: a name, the path of a module's file, or NULL; files->vmlinux instead of the running kernel's symbols. */
struct strobe_error *probe_target_kernel(const struct sys *sys, const char *module, const struct probe_files *files,
					 struct probe_target *ret) _must_check_;
void probe_target_close(struct probe_target *t);
/* Makes t->functions, which probe_target_function() searches; they may be unsorted. After an error they are empty. */
struct strobe_error *probe_target_need_functions(struct probe_target *t) _must_check_;

/* NULL: no debug information. */
struct dwarf *probe_target_dwarf(struct probe_target *t);
/*
 * Calls take for the function that begins at each symbol that matches the pattern: names that symbol tables alone have, as malloc, which
 * debug information knows as __libc_malloc. The target has debug information.
 */
struct strobe_error *probe_target_each_alias(struct probe_target *t, const char *pattern,
					     void (*take)(void *ctx, const struct dwarf_code *code), void *ctx) _must_check_;
/* Borrowed; for the running kernel without debug information, those in its BTF. */
struct strobe_error *probe_target_variables(struct probe_target *t, struct probe_variables **ret) _must_check_;
/* The path of its file, or "the kernel". */
const char *probe_target_shown(const struct probe_target *t);
/* The function at or before an address of the target, with the first name there; NULL: none. */
const struct probe_function *probe_target_function(struct probe_target *t, uint64_t address);
