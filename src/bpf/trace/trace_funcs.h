/*
 * Functions whose calls are traced: their addresses, and what is fetched at calls. Attaches the programs that each of the two tracers has
 * for them.
 *
 * Functions are numbered, file by file. All is borrowed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/trace/trace_shared.h"
#include "sys/sys.h"

struct trace_func_file {
	const char *path;   /* NULL: the kernel */
	const uint64_t *at; /* of each function: offset in the file, or address in the kernel */
	uint32_t first, nr; /* their numbers */
	const uint64_t *exits, *exit_cookies; /* probes at exits of functions that need them: offsets; number | TRACE_FUNC_LEFT_BY_JUMP */
	uint32_t exits_nr;
	bool is_library;    /* used by other programs, too */
};

struct trace_funcs {
	const struct trace_func *plans; /* by number */
	uint32_t nr;
	const struct trace_func_file *files;
	size_t files_nr;
};

/* The names of the BPF programs for functions of files and of the kernel. */
struct trace_func_programs {
	const char *enter, *leave, *exit, *kernel_enter, *kernel_leave;
};

struct bpf_loaded;
struct trace_targets; /* bpf/trace/trace_targets.h */

bool trace_funcs_have_kernel(const struct trace_funcs *f);
/* Lists the programs that these functions (NULL: none) do not need, at most five; returns their number. */
size_t trace_funcs_without(const struct trace_funcs *f, const struct trace_func_programs *p, const char **ret);
/*
 * Whether children of traced processes are left out. A probe is hit by every process that uses its file, which is acceptable for few
 * functions, or those of a program; with many functions of a library only the named processes are probed.
 */
bool trace_funcs_leave_out_children(const struct trace_targets *t);
/* Attaches to returns first, so that the end of every call that is seen to begin is seen. */
struct strobe_error *trace_funcs_attach(const struct trace_targets *t, const struct trace_func_programs *p,
					struct bpf_loaded *b) _must_check_;
