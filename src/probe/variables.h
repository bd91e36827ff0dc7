/*
 * Variables of a program or of the kernel by name: which are in scope at a place, their types, and what fetches their values.
 *
 * A program's come from its debug information (DWARF), the kernel's from that of a vmlinux or a module, or, without any, from the
 * running kernel's BTF: parameters at the entry of functions, by the calling convention, and what functions return. A value that
 * cannot be read, or not in full, is an error and never another value. Everything that is returned lives as long as the struct
 * probe_variables, or in the arena that is given. One thread at a time. Sources: DWARF 5, the kernel's kprobetrace.rst and
 * uprobetracer.rst (fetch arguments), perf-probe(1).
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "probe/debug.h"
#include "probe/definition.h"
#include "sys/sys.h"
#include "values/location.h"
#include "values/type.h"

struct probe_variables;

/*
 * Of a program or a library. object: borrowed; path: where it lies. ERROR_NOT_FOUND where no debug information is found, with what
 * would help.
 */
struct strobe_error *probe_variables_of_program(struct object *object, const char *path, const struct probe_debug_options *options,
						struct probe_variables **ret) _must_check_;
/* The same of a kernel or a module with debug information: vmlinux or NAME.ko. */
struct strobe_error *probe_variables_of_kernel_file(struct object *object, const char *path, const struct probe_debug_options *options,
						    struct probe_variables **ret) _must_check_;
/* Of the running kernel, without debug information: module: "" or NULL: the kernel itself. ERROR_UNSUPPORTED: it has no BTF. */
struct strobe_error *probe_variables_of_kernel(const struct sys *sys, const char *module, struct probe_variables **ret) _must_check_;
void probe_variables_close(struct probe_variables *v);
/* For lines and functions of the same file; borrowed. NULL where the types come from BTF. */
const struct probe_debug *probe_variables_debug(const struct probe_variables *v);

/* Where a probe is to be. */
struct probe_site {
	/*
	 * Of a program: the ELF virtual address; of code without optimisation after the prologue, which stores the parameters. Not used
	 * of the kernel.
	 */
	uint64_t address;
	/*
	 * Of a program: whose variables are meant where others are inlined at the address, too; NULL: the innermost's. Of the kernel:
	 * the symbol that offset counts from.
	 */
	const char *function;
	uint64_t offset;      /* of the kernel */
	bool is_return;       /* where the function returns to: of its values only $retval is left */
};

/* ---- a listing: probe -V ---- */

struct probe_variable {
	enum { PROBE_PARAMETER, PROBE_LOCAL, PROBE_GLOBAL } kind;
	const char *type;   /* "struct st*", "(unknown_type)" */
	const char *name;
	const char *ranges; /* "@<work+[0-47,52-211]>": where it has a value, from the begin of the function; NULL: not requested */
	bool is_alive;      /* has a value at the address; without ranges only such variables are listed */
};
typedef VEC(struct probe_variable) probe_variable_list;

struct probe_variable_options {
	bool externs; /* what is declared outside of functions, too */
	bool ranges;
};

/* Appends them by type and name, as perf does. Where there is none, nothing. ERROR_NOT_FOUND: no function is at the address. */
struct strobe_error *probe_variables_list(struct probe_variables *v, const struct probe_site *site,
					  struct probe_variable_options options, struct arena *arena,
					  probe_variable_list *ret) _must_check_;

/* ---- fetch arguments: what tracefs takes ---- */

struct probe_fetch {
	const char *name; /* of the argument; NULL: the kernel's */
	const char *text; /* "+8(%di):x32" */
};
typedef VEC(struct probe_fetch) probe_fetches;

/*
 * An argument that names a variable (probe_argument_is_variable()): "n", "p->in.flags:u", "sk->__sk_common.skc_state",
 * "$retval->next", "$vars", "$params". Appends one fetch, of the latter two one for each variable that can be fetched.
 */
struct strobe_error *probe_variables_fetch(struct probe_variables *v, const struct probe_site *site, const struct probe_argument *a,
					   struct arena *arena, probe_fetches *ret) _must_check_;

/* ---- values for other readers of registers and memory ---- */

struct probe_value {
	const char *name;
	const struct type *type;   /* NULL: not known */
	struct locations at;       /* DWARF numbers of registers; see values/location.h */
};
typedef VEC(struct probe_value) probe_values;

/* Appends the parameters at the place, in their order, and says what the function returns (NULL: nothing, or not known). */
struct strobe_error *probe_variables_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
						probe_values *ret, const struct type **ret_returned) _must_check_;
