/*
 * What is read of a recording, and how its samples are resolved, as options spell it. Of report, top and annotate, which put
 * it into their options and hand it on whole. Names that hide rows of what was read: report/filter.h.
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
	const char *event;       /* the only one that is shown, or NULL */
	const char *preferred_event; /* without one, in place of the default of a profile that has it; or NULL */
	const char *switch_on, *switch_off; /* events that begin and end what is counted */
	bool show_switches;      /* they count as well */
	uint64_t max_stack;      /* frames; 0: no limit */
	bool hide_unresolved;    /* samples without a symbol are left out */
	bool branch_stack, no_branch_stack; /* branch records are the rows; they are not. Neither: where there are any */
	bool branch_history;     /* branch records go before call stacks */
	bool mem_mode;           /* memory accesses are the rows */
	bool stitch_calls;       /* --stitch-lbr */
	bool inlined;            /* inlined functions are frames of stacks */
	bool no_scripts;         /* frames of interpreted code are left out */
	struct symbols_options symbol_files;
};
