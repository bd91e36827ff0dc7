/*
 * Functions whose calls the BPF programs of trace see: where they begin, and what is fetched of them. Both tracers have programs of
 * their own for these, attached here.
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
	const uint64_t *exits, *exit_cookies; /* of those that are seen to return by them: offsets; number | TRACE_FUNC_LEFT_BY_JUMP */
	uint32_t exits_nr;
	bool is_library;    /* other programs use it, too */
};

struct trace_funcs {
	const struct trace_func *plans; /* by number */
	uint32_t nr;
	const struct trace_func_file *files;
	size_t files_nr;
};

/* The names of the programs, of files and of the kernel. */
struct trace_func_programs {
	const char *enter, *leave, *exit, *kernel_enter, *kernel_leave;
};

struct bpf_loaded;
struct trace_targets; /* bpf/trace/trace_targets.h */

bool trace_funcs_have_kernel(const struct trace_funcs *f);
/* Puts the programs that are not needed for these functions (NULL: for none) into a list; returns how many. At most five. */
size_t trace_funcs_without(const struct trace_funcs *f, const struct trace_func_programs *p, const char **ret);
/*
 * Whether children of traced processes are left out: a probe stops every process that uses its file, which for few functions, or for
 * those of a program, is borne; of many functions of a library the processes that are named are probed alone.
 */
bool trace_funcs_leave_out_children(const struct trace_targets *t);
/* Returns first: a call that is seen to begin is seen to end. */
struct strobe_error *trace_funcs_attach(const struct trace_targets *t, const struct trace_func_programs *p,
					struct bpf_loaded *b) _must_check_;
