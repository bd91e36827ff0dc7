/*
 * Variables of a program or of the kernel: those in scope at a place, their types, and fetch arguments for their values.
 *
 * A program's come from its debug information (DWARF), the kernel's from that of a vmlinux or a module, or, without any, from the
 * running kernel's BTF: parameters at the entry of functions, by the calling convention, and what functions return. A value that
 * cannot be read completely is an error. Everything that is returned lives as long as the struct probe_variables, or in the
 * given arena. One thread at a time. Sources: DWARF 5, the kernel's kprobetrace.rst and
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
 * For a program or a library. object: borrowed; path: its path. ERROR_NOT_FOUND if no debug information is found, with advice.
 */
struct strobe_error *probe_variables_of_program(struct object *object, const char *path, const struct probe_debug_options *options,
						struct probe_variables **ret) _must_check_;
/* The same for a kernel or module with debug information: vmlinux or NAME.ko. */
struct strobe_error *probe_variables_of_kernel_file(struct object *object, const char *path, const struct probe_debug_options *options,
						    struct probe_variables **ret) _must_check_;
/* For the running kernel, without debug information. module: "" or NULL: the kernel itself. ERROR_UNSUPPORTED: no BTF. */
struct strobe_error *probe_variables_of_kernel(const struct sys *sys, const char *module, struct probe_variables **ret) _must_check_;
void probe_variables_close(struct probe_variables *v);
/* For lines and functions of the same file; borrowed. NULL: types come from BTF. */
const struct probe_debug *probe_variables_debug(const struct probe_variables *v);

/* The location of a probe. */
struct probe_site {
	/*
	 * For a program: the ELF virtual address, in unoptimised code after the prologue, which stores parameters. Not used for the
	 * kernel.
	 */
	uint64_t address;
	/*
	 * For a program: the function whose variables are meant, if others are inlined at the address; NULL: the innermost. For the
	 * kernel: the symbol to which offset is relative.
	 */
	const char *function;
	const char *inlined;  /* of the kernel: the function whose variables are meant, if it is inlined there; NULL: the symbol's */
	uint64_t offset;      /* of the kernel */
	bool is_return;       /* a return probe: only $retval is available */
};

/* From now on values are fetched by inline probes (fetch_parse.h) and not by tracefs. */
void probe_variables_for_inline(struct probe_variables *v);

/* ---- a listing: probe -V ---- */

struct probe_variable {
	enum { PROBE_PARAMETER, PROBE_LOCAL, PROBE_GLOBAL } kind;
	const char *type;   /* "struct st*", "(unknown_type)" */
	const char *name;
	const char *ranges; /* "@<work+[0-47,52-211]>": ranges with a value, relative to the function; NULL: not requested */
	bool is_alive;      /* has a value at the address; without ranges only such variables are listed */
};
typedef VEC(struct probe_variable) probe_variable_list;

struct probe_variable_options {
	bool externs; /* also those declared outside of functions */
	bool ranges;
};

/* Appends them sorted by type and name, as in perf. ERROR_NOT_FOUND: no function at the address. */
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
 * "$retval->next", "$vars", "$params". Appends one fetch argument, or for the last two one per variable that can be fetched.
 */
struct strobe_error *probe_variables_fetch(struct probe_variables *v, const struct probe_site *site, const struct probe_argument *a,
					   struct arena *arena, probe_fetches *ret) _must_check_;

/* ---- values for other readers of registers and memory ---- */

struct probe_value {
	const char *name;
	const struct type *type;   /* NULL: unknown */
	struct locations at;       /* DWARF numbers of registers; see values/location.h */
	bool is_in_own_frame;      /* relative to a frame that the function sets up: not valid before that */
};
typedef VEC(struct probe_value) probe_values;

/* Appends the parameters at the place, in order, and gives the return type (NULL: void, or unknown). */
struct strobe_error *probe_variables_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
						probe_values *ret, const struct type **ret_returned) _must_check_;
