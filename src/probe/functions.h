/*
 * Functions that a probe can be at, by all of their names: of a program's file, or of the running kernel and its modules.
 *
 * Symbols of an address that have several names are in the list once for each. A version ("malloc@@GLIBC_2.2.5") belongs to the
 * name; a search without an '@' passes over it, but for stubs. Functions of a file come from its symbol table or that of its
 * separate debug file, else from its dynamic symbols and its packed mini debug information, and from the stubs of its linkage
 * table ("strlen@plt"). Names may be those of the object's file, which stays open until probe_functions_deinit().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "object/object.h"
#include "sys/sys.h"

struct probe_function {
	const char *name;
	uint64_t address; /* in the kernel; of a file, the ELF virtual address */
	uint64_t bytes;   /* 0 = not known */
	bool is_code;     /* others are data */
	bool is_resolver; /* it chooses, once, the function that is called by this name (GNU indirect function) */
	const char *module; /* of the kernel; "" = the kernel itself */
};

struct probe_functions {
	struct arena arena;
	char *kallsyms; /* whose names these are; or NULL */
	VEC(struct probe_function) list; /* by address, and what lies at one address by name */
	uint64_t text;                   /* what addresses of the kernel are given from; 0: of a program, or neither symbol is known */
	const char *text_name;           /* "_text", or where that is not listed, as on arm64, "_stext"; lives for ever */
};

/* symfs: where files with symbols are looked for, or NULL. A file without symbols has none. */
void probe_functions_of_file(struct object *o, const char *path, const char *symfs, struct probe_functions *ret);
/* module: only its functions; "" or NULL: those of the kernel itself. */
struct strobe_error *probe_functions_of_kernel(const struct sys *sys, const char *module, struct probe_functions *ret) _must_check_;
void probe_functions_deinit(struct probe_functions *f);
/* Takes the address of a symbol of the kernel where addresses are given from it. */
void probe_functions_take_text(struct probe_functions *f, const char *name, uint64_t address);

/* Whether the name is one that the pattern (a name or a glob, with a version or without) stands for. */
bool probe_name_matches(const char *pattern, const char *name);
/* The one name that a pattern stands for; NULL: it is a glob. */
const char *probe_name_alone(const char *pattern);
