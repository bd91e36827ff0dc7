/*
 * The tasks and calls that are traced: common to the summary and the stream.
 *
 * A command is a target by its ID from its fork on; with has_leader nothing is traced before its exec. All strings
 * and arrays are borrowed. x86-64 and arm64, from Linux 5.17 on, in the initial PID namespace.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "bpf/trace/trace_funcs.h"
#include "bpf/trace/trace_shared.h"
#include "capture/target.h"
#include "decode/syscall.h"
#include "sys/sys.h"

struct trace_targets {
	const struct sys *sys;
	const struct target_map *map; /* tasks, or system_wide */
	const struct syscall_table *native, *compat; /* all calls of the architecture; compat may be NULL */
	bool by_cpu;                  /* only calls that end on the CPUs of map */
	bool inherit;
	bool starts_enabled;          /* else tracing begins with ..._tracer_enable() or, with a leader, its exec */
	bool delayed;                 /* not by the leader's exec, but by ..._tracer_enable() alone */
	pid_t leader;                 /* the command's process, or 0 */
	const char *cgroup;           /* the path of a cgroup in the file system, or NULL */
	const pid_t *excluded;        /* processes or threads that are left out, system-wide */
	size_t excluded_nr;
	const struct trace_funcs *funcs; /* or NULL */
	bool all_calls;
	uint64_t selected[TRACE_CALLS / 64]; /* else: bit by call, 32-bit ones from TRACE_NUMBERS on */
	uint64_t points[TRACE_CALLS / 64];   /* calls whose entry is reported as a tracepoint (stream) */
};

struct bpf_loaded;
struct bpf_map_size;

/* The descriptor of a call as the programs number it, or NULL. */
const struct syscall_desc *trace_targets_call(const struct trace_targets *t, uint32_t call);
enum trace_call_kind trace_call_kind(const struct syscall_desc *d);

/* Whether any system call is traced, as a call or as a tracepoint. */
bool trace_targets_have_calls(const struct trace_targets *t);
/* An error that says why tracing by BPF is impossible here, or NULL. */
struct strobe_error *trace_targets_check(const struct sys *sys) _must_check_;
/* The size of the map of targets: room for the named ones and many that they start; limited, since allocating it takes time. */
uint32_t trace_targets_room(const struct trace_targets *t);
void trace_targets_settings(const struct trace_targets *t, struct trace_settings *settings);
/* After loading: fills the maps. */
struct strobe_error *trace_targets_fill(const struct trace_targets *t, struct bpf_loaded *b) _must_check_;
/* Fills in everything but `enabled`, which is for when all programs are attached: else calls would precede the names of their tasks. */
void trace_targets_control(const struct trace_targets *t, struct trace_control *control);
