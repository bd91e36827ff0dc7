/*
 * Stack dumps (--call-graph dwarf) → callchain words: the kernel's part as recorded, then the unwound user part, so that the
 * code that expands chains need not know how they were made.
 *
 * A struct dumps belongs to one thread; the unwind tables are shared by the whole session.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "record/sample.h"
#include "resolve/resolve.h"

struct unwinder;
struct unwind_tables;

/* The known top of each thread's stack, and the start addresses of its truncated dumps, to compute the necessary dump size. */
struct dump_reach {
	struct u64map tops, lows; /* by space and thread */
};

struct dumps {
	struct resolver *r;
	const struct arch *arch; /* of the recording */
	/* Addresses of callers are those of the calls, as in perf; false: return addresses. */
	bool call_sites;
	struct unwinder *unwinder;
	uint64_t machine_generation;
	struct u64map spaces; /* whether any file mapped there can be read */
	VEC(uint64_t) words;
	struct resolve_dump_stats stats;
	struct dump_reach reach;
};

/* Whether samples of this event have the data to start a walk: the same condition as in perf. */
static inline bool attr_has_dumps(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_REGS_USER && a->sample_type & PERF_SAMPLE_STACK_USER;
}

/*
 * Whether samples of this event have data to complete a frame-pointer chain, which skips the callers of functions without a
 * frame: the link register, on machines that have one, or a few bytes of stack, without the registers for a walk of the
 * whole stack (--call-graph fp,leaf).
 */
bool resolver_has_leaves(const struct resolver *r, const struct perf_event_attr *a);

void dumps_init(struct dumps *d, struct resolver *r);
void dumps_deinit(struct dumps *d);

/*
 * The words of a sample's chain, valid until the next call; returns their number. 0: the chain is unchanged, since
 * nothing was dumped, or no file of the process can be read, so that a walk would find only the sample's own address.
 */
uint32_t dumps_join(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret);

/*
 * The words of a frame-pointer chain with the callers of its innermost functions that are missing in the chain, but in a register
 * (arm64's lr) or in the few bytes of stack; valid until the next call. 0: the chain is unchanged.
 *
 * Callers are added only by unwind tables, without guessing: if a function without a frame pointer has a larger frame than was
 * copied, or no tables, its caller remains missing.
 */
uint32_t dumps_join_leaf(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret);

/*
 * The dump was truncated: if the kernel also followed frame pointers, its chain (words: the user part) may continue from
 * an address in both; the part before that is known already. back: the difference of walked addresses to return
 * addresses. Appends to walked, which has n of max; false: no continuation.
 */
bool dumps_continue(const uint64_t *words, uint32_t words_nr, uint64_t back, uint64_t *walked, uint32_t *n, uint32_t max);

/* Adds its counts to the resolver's; dumps_finish() when all have. */
void dumps_count(const struct dumps *d, struct resolver *r);
void dumps_finish(struct resolver *r);
