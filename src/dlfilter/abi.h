/*
 * The binary interface between perf and its filters: layout and order of fields are fixed.
 *
 * Structs that may grow contain their size. Source: perf-dlfilter(1).
 */
#pragma once
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* The sample that filter_event() gets. Not recorded: IDs, times and the CPU are all ones, other fields 0. */
struct filter_sample {
	uint32_t bytes; /* of this struct */
	uint16_t instruction_latency, pipeline_stage_cycles; /* parts 2 and 3 of a weight */
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time, addr, id, stream_id, period, weight, transaction;
	uint64_t instructions, cycles; /* since the previous sample: for decoded traces */
	int32_t cpu;
	uint32_t flags;                /* of the branch; for decoded traces */
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
	uint8_t cpumode;
	uint8_t addr_has_symbol;       /* resolve_addr() may be called */
	uint16_t misc;
	uint32_t raw_bytes;
	const void *raw;
	uint64_t branches_nr;
	const struct perf_branch_entry *branches;
	uint64_t callchain_nr;
	const uint64_t *callchain;
	const char *event;
	int32_t machine_pid, vcpu;     /* since perf 6.0 */
};

/* The location of an address. Addresses of symbols and addr are file offsets for programs. */
struct filter_place {
	uint32_t bytes; /* size of this struct that the filter was compiled with */
	uint32_t symbol_offset;
	const char *symbol;
	uint64_t addr, symbol_start, symbol_end;
	const char *dso;
	uint8_t binding, is_64bit, is_kernel;
	uint32_t build_id_bytes;
	const uint8_t *build_id;
	uint8_t is_left_out; /* by other options */
	const char *comm;
	void *owned;         /* private to the tool: since perf 6.6 */
};

#define FILTER_FUNCTIONS 128

/* The table that a filter accesses as perf_dlfilter_fns. */
struct filter_functions {
	const struct filter_place *(*resolve_ip)(void *ctx);
	const struct filter_place *(*resolve_addr)(void *ctx);
	char **(*args)(void *ctx, int *nr);
	int32_t (*resolve_address)(void *ctx, uint64_t address, struct filter_place *place);
	const uint8_t *(*insn)(void *ctx, uint32_t *bytes);
	const char *(*srcline)(void *ctx, uint32_t *line);
	struct perf_event_attr *(*attr)(void *ctx);
	int32_t (*object_code)(void *ctx, uint64_t ip, void *buffer, uint32_t bytes);
	void (*place_done)(void *ctx, struct filter_place *place); /* since perf 6.6 */
	void (*reserved[FILTER_FUNCTIONS - 9])(void);
};

/* As in perf. */
_Static_assert(sizeof(struct filter_functions) == FILTER_FUNCTIONS * sizeof(void *), "perf's table of functions");
_Static_assert(offsetof(struct filter_sample, callchain) + sizeof(void *) == offsetof(struct filter_sample, event), "no hole");
