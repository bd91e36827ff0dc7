/*
 * Options of report, top and annotate for reading a recording and resolving its samples. Filters of rows by name: report/filter.h.
 *
 * Strings are borrowed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"

struct selection {
	const char *input;       /* path; "-" is standard input; NULL: perf.data */
	bool force;              /* though it belongs to another user */
	const char *cpus, *times; /* -C, --time */
	const char *event;       /* show only this one; NULL: all */
	const char *preferred_event; /* used without `event`, if the profile has it, in place of its default; or NULL */
	const char *switch_on, *switch_off; /* events that start and stop counting */
	bool show_switches;      /* they count as well */
	uint64_t max_stack;      /* frames; 0: no limit */
	bool hide_unresolved;    /* drop samples without a symbol */
	bool branch_stack, no_branch_stack; /* rows are branch records; are not. Neither: if there are any */
	bool branch_history;     /* put branch records in front of call stacks */
	bool mem_mode;           /* rows are memory accesses */
	bool stitch_calls;       /* --stitch-lbr */
	bool inlined;            /* inlined functions are frames of stacks */
	bool no_scripts;         /* drop frames of interpreted code */
	struct symbols_options symbol_files;
};
