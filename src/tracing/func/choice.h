/*
 * Functions whose calls are traced, selected by patterns: 'BIN:GLOB'.
 *
 *	BIN    a path; the name of a program (looked for in PATH) or of a library ("libc", "libc.so.6"), as the process has it mapped;
 *	       "kernel"; without BIN: the traced program itself
 *	GLOB   the name of a function, as in the symbol table or as people write it ("ns::Class::method"), without parameters
 *
 * A function with several names is traced once. For functions whose returns cannot be traced without breaking the program
 * (they store their return address, as setjmp(), or have none), only calls are traced. Owns everything. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "bpf/trace/trace_funcs.h"
#include "probe/variables.h"
#include "sys/sys.h"

struct func_signature; /* tracing/func/signature.h */

struct func {
	const char *name;   /* demangled, without parameters */
	const char *file;   /* "libc.so.6"; "kernel" */
	uint64_t address;   /* ELF virtual address, or in the kernel */
	bool entry_only;    /* returns are not traced */
	const struct func_signature *signature; /* NULL: unknown */
};

struct func_debug {
	struct object *object;
	struct probe_variables *variables; /* NULL: there is none */
};

struct func_choice {
	struct arena arena;
	VEC(struct func) funcs;       /* by number */
	VEC(struct trace_func) plans; /* of the same */
	VEC(uint64_t) at;
	VEC(uint64_t) exits, exit_cookies; /* of all files, in order */
	VEC(struct trace_func_file) files;
	VEC(struct func_debug) debug; /* of files that have debug information: types live there */
	struct trace_funcs bpf;       /* filled by func_choice_finish() */
};

/* The context for finding programs and libraries without a path. */
struct func_context {
	const struct sys *sys;
	pid_t pid;           /* a process that has mapped the file; 0: unknown */
	const char *program; /* the command, as it was written; or NULL */
	uint32_t str_limit;  /* bytes of strings that are fetched */
	const struct probe_debug_options *debug; /* where debug information is looked for */
};

/* Of a zeroed one. */
void func_choice_init(struct func_choice *c);
void func_choice_deinit(struct func_choice *c);
/* The functions of one pattern. ERROR_NOT_FOUND says what is missing. */
struct strobe_error *func_choice_add(struct func_choice *c, const struct func_context *where, const char *pattern) _must_check_;
/* Call it after the last pattern: completes c->bpf. */
void func_choice_finish(struct func_choice *c);
