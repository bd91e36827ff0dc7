/*
 * The work of `strobe script`, behind its options.
 */
#pragma once
#include "cmd/cmd.h"
#include "dump/fields.h"
#include "symbol/symbol.h"

#define SCRIPT_FIELDS_MAX 16

struct script_options {
	const char *input, *format;
	bool json; /* what format says */
	bool force, debug, raw, raw_unsorted, hide_chains, inlined, stitch_calls;
	const char *fields[SCRIPT_FIELDS_MAX];
	unsigned fields_nr;
	uint64_t max_stack, max_blocks, addr_range;
	const char *stop_at, *cpus, *comms, *pids, *tids, *dsos, *symbols, *times, *switch_on, *switch_off;
	bool nanoseconds, relative_time, delta_time, latency_columns;
	bool show_on_off, show_task, show_mmap, show_switch, show_namespaces, show_lost, show_round, show_bpf, show_cgroup,
		show_text_poke;
	bool per_event, header, header_only, full_header, kernel_path, full_source_path;
	struct symbols_options symbol_files;
	unsigned verbose;
};

/* Returns the exit status. */
int script_run(struct cmd_context *ctx, const struct script_options *o);
