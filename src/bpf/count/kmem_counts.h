/*
 * Allocations of the kernel, summed up in the kernel by call site or stack, and those that have not been freed.
 *
 *	TRY(kmem_counts_open(&o, &c));
 *	kmem_counts_enable(c, true);
 *	kmem_counts_read(c, fn, ctx);
 *
 * Requires Linux 6.1 (before, the events of kmem have other arguments), permission to load BPF programs, and clang where strobe is built.
 * One thread. Source: bpf-helpers(7), include/trace/events/kmem.h.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/count/kmem_counts_shared.h"
#include "sys/sys.h"

struct kmem_counts_options {
	const struct sys *sys;
	bool of_slab, of_pages;
	bool with_stacks; /* sums by whole stacks; else by call site, of pages by the innermost frames */
	uint32_t sites, objects; /* maximum numbers; powers of two */
};

/* The allocations of a site. */
struct kmem_count {
	enum kmem_counts_allocator allocator;
	struct kmem_counts_sum sum;
	uint64_t live_hits, live_bytes; /* not freed */
	uint64_t call_site;             /* of an object; of a page it is in the stack */
	const __u64 *frames;            /* kernel addresses, innermost first; they include those of the tracepoint and the allocator */
	uint32_t frames_nr;
};

struct kmem_counts;

struct strobe_error *kmem_counts_open(const struct kmem_counts_options *o, struct kmem_counts **ret) _must_check_;
void kmem_counts_close(struct kmem_counts *c);
/* With false, all running programs have ended on return. */
void kmem_counts_enable(struct kmem_counts *c, bool on);
/* Call it while counting is disabled. The count is borrowed until fn returns. */
void kmem_counts_read(const struct kmem_counts *c, void (*fn)(void *ctx, const struct kmem_count *n), void *ctx);
const struct kmem_counts_control *kmem_counts_control(const struct kmem_counts *c);
/* Events missed because they occurred inside another program of the same kind. */
uint64_t kmem_counts_missed(const struct kmem_counts *c);
