/* Internals of a filter, shared by the files of this room. */
#pragma once
#include "arch/arch.h"
#include "disasm/disasm.h"
#include "dlfilter/abi.h"
#include "dlfilter/dlfilter.h"

struct dlfilter_entries {
	int (*start)(void **data, void *ctx);
	int (*stop)(void *data, void *ctx);
	int (*filter_event)(void *data, const struct filter_sample *s, void *ctx);
	int (*filter_event_early)(void *data, const struct filter_sample *s, void *ctx);
	const char *(*describe)(const char **ret_long);
	struct filter_functions *functions;
};

/* A place that was looked up for the current sample. */
struct dlfilter_place {
	bool is_known;
	struct filter_place place;
	struct dso_facts facts; /* has the place's build ID */
};

/* Passed to a filter as ctx. */
struct dlfilter {
	struct dlfilter_options o;
	struct machine *machine;
	struct symbols *symbols;
	const struct arch *arch;
	struct dlfilter_entries entries;
	void *data;                      /* private to the filter */
	bool is_stopping_or_starting;
	const struct resolved_sample *s; /* the current sample; NULL: between samples */
	struct dlfilter_place ip, addr, other;
	struct disasm *disasm;           /* NULL until an instruction is needed */
	struct perf_event_attr attr;     /* a copy, since the interface permits the filter to write to it */
	uint8_t insn[16];
	void *stdout_before;             /* FILE, restored at the end */
};

/* dlfilter.c: entry points of a filter's file. */
struct strobe_error *dlfilter_load(const char *file, const char *exec_path, struct dlfilter_entries *ret) _must_check_;
/* lookups.c: functions for filters. */
extern const struct filter_functions dlfilter_lookups;
