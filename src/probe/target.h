/*
 * What probes are put into: a program's file, the running kernel, or one of its modules, with functions and debug information.
 *
 * Addresses of a target are ELF virtual addresses of a file, and of the running kernel those that it has now. Debug information is
 * looked for when it is first needed: in the file, in the build-id cache, where object_find_debug() looks, on servers; of the kernel
 * in a vmlinux. One thread at a time.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "probe/functions.h"
#include "probe/installed.h"

struct dwarf;
struct debuginfod;

/* Where files are looked for; all may be NULL, and are borrowed. */
struct probe_files {
	const char *symfs;          /* before the paths of files */
	const char *vmlinux;        /* of the kernel */
	const char *buildid_dir;
	struct debuginfod *servers;
	int32_t pid;                /* paths are as this process sees them; 0: as we do */
};

struct probe_target {
	enum probe_kind kind;
	char *name;                 /* of a program its full path, of a module its name; "" the kernel */
	struct object *object;      /* of a program, or the file of a kernel or a module that was named; else NULL */
	struct probe_functions functions;

	const struct sys *sys;
	struct probe_files files;
	struct object *debug, *supplement;
	struct dwarf *dwarf;
	bool dwarf_tried;
	uint64_t shift;             /* an address of the target less that in its debug information */
};

/* All are for probe_target_close(). */
struct strobe_error *probe_target_program(const char *path, const struct probe_files *files, struct probe_target *ret) _must_check_;
/* module: a name, the path of a module's file, or NULL; files->vmlinux instead of the running kernel's symbols. */
struct strobe_error *probe_target_kernel(const struct sys *sys, const char *module, const struct probe_files *files,
					 struct probe_target *ret) _must_check_;
void probe_target_close(struct probe_target *t);

/* NULL: it has no debug information. */
struct dwarf *probe_target_dwarf(struct probe_target *t);
/* The path of its file, or "the kernel". */
const char *probe_target_shown(const struct probe_target *t);
/* The function that is at or before an address of the target: the first name there; NULL: none. */
const struct probe_function *probe_target_function(const struct probe_target *t, uint64_t address);
