/*
 * Allocations of the running kernel, summed up in the kernel until a command has ended or a signal arrives: by call site or stack, with
 * those not freed since.
 *
 *	err = kmem_live_run(&request, &l);    *ret in any case
 *	kmem_live_table(&t, l, &view);
 *	kmem_live_destroy(l);
 *
 * One thread. Everything that the request points to must outlive the call.
 */
#pragma once
#include "analysis/kmem/kmem_sort.h"
#include "base/vector.h"
#include "bpf/count/kmem_counts.h"
#include "session/host.h"
#include "symbol/symbol.h"
#include "sys/sys.h"
#include "table/table.h"

struct kmem_live_request {
	const struct session_host *host;
	const struct sys *sys;
	char *const *command; /* NULL: none */
	bool is_chosen[KMEM_ALLOCATORS];
	bool with_stacks;     /* rows by whole stacks instead of call sites */
	const char *sort;     /* keys of objects: "bytes,hit"; NULL: what is still allocated first, then bytes */
};

struct kmem_live_row {
	enum kmem_allocator allocator;
	uint64_t callsite; /* 0: unknown */
	struct kmem_counts_sum sum;
	uint64_t live_hits, live_bytes; /* not given back */
	uint64_t *frames;  /* from the call site outwards; owned by the rows */
	uint32_t frames_nr;
};

struct kmem_live_sums {
	VEC(struct kmem_live_row) rows;
	struct kmem_counts_sum total[KMEM_ALLOCATORS];
	uint64_t live_hits[KMEM_ALLOCATORS], live_bytes[KMEM_ALLOCATORS];
	struct kmem_counts_control control;
	double seconds;
};

struct kmem_live;

struct strobe_error *kmem_live_run(const struct kmem_live_request *q, struct kmem_live **ret) _must_check_;
void kmem_live_destroy(struct kmem_live *l);
const struct kmem_live_sums *kmem_live_sums(const struct kmem_live *l);
/* Function and offset of the kernel's code; NULL: unknown. */
const char *kmem_live_function(const struct kmem_live *l, uint64_t address, uint64_t *ret_offset);
/* Inits *t, with the view's maximum number of lines, and addresses in place of functions if selected. */
void kmem_live_table(struct table *t, const struct kmem_live *l, uint64_t lines_max, bool raw_ip);
