/*
 * Functions that can be probed, by all of their names: of a program's file, or of the running kernel and its modules.
 *
 * An address with several names is in the list once per name. A version ("malloc@@GLIBC_2.2.5") belongs to the name; a search without '@'
 * ignores it, except for stubs. Functions of a file come from its symbol table or that of its separate debug file, else from its dynamic
 * symbols and its MiniDebugInfo, and from PLT stubs ("strlen@plt"). Names may be those of the object's file, which stays open until
 * probe_functions_deinit().
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
	bool is_resolver; /* an ifunc resolver: it selects the function that is called by this name (GNU indirect function) */
	const char *module; /* of the kernel; "" = the kernel itself */
};

struct probe_functions {
	struct arena arena;
	char *kallsyms; /* memory of the names; or NULL */
	VEC(struct probe_function) list; /* after probe_functions_sort() by address and name, without duplicates */
	struct probe_function *unsorted; /* the list before, to which there may be pointers */
	bool is_sorted;
	unsigned searches;               /* of the unsorted list */
	uint64_t text;                   /* base of kernel addresses in definitions; 0: a program, or neither symbol is known */
	const char *text_name;           /* "_text", or "_stext" if that is not listed, as on arm64; static */
};

/* Not sorted. symfs: object/sysroot.h, or NULL. A file without symbols has no functions. */
void probe_functions_of_file(struct object *o, const char *path, const char *symfs, struct probe_functions *ret);
/* Sorted. module: only its functions; "" or NULL: those of the kernel itself. */
struct strobe_error *probe_functions_of_kernel(const struct sys *sys, const char *module, struct probe_functions *ret) _must_check_;
void probe_functions_deinit(struct probe_functions *f);
/* Costs more than all else, and who needs one name can do without. Pointers to functions stay valid. */
void probe_functions_sort(struct probe_functions *f);
/* The function at or before an address, with the first name there; NULL: none. */
const struct probe_function *probe_functions_at(struct probe_functions *f, uint64_t address);
/* Stores the address of a symbol that is a possible base of kernel addresses. */
void probe_functions_take_text(struct probe_functions *f, const char *name, uint64_t address);

/* Whether the name matches the pattern: a name or a glob, with or without a version. */
bool probe_name_matches(const char *pattern, const char *name);
/* The only name that a pattern matches; NULL: a glob. */
const char *probe_name_alone(const char *pattern);
