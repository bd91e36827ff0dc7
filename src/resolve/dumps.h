/*
 * Stack dumps (--call-graph dwarf) → callchain words: the kernel's part as recorded, then the unwound user's part, so that
 * whoever expands a chain needs not know where it came from.
 *
 * A struct dumps belongs to one thread; the tables behind it are shared by all of a session.
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

/* How far the stack of each thread is known to reach, and where its cut dumps began: what a dump would have needed. */
struct dump_reach {
	struct u64map tops, lows; /* by space and thread */
};

struct dumps {
	struct resolver *r;
	const struct arch *arch; /* of the recording */
	/* Addresses of callers are those of their calls, as perf shows them; set to false for what they return to. */
	bool call_sites;
	struct unwinder *unwinder;
	uint64_t machine_generation;
	struct u64map spaces; /* whether any file that is mapped there can be read */
	VEC(uint64_t) words;
	struct resolve_dump_stats stats;
	struct dump_reach reach;
};

/* Whether samples of this event have what a walk begins with: the same condition as in perf. */
static inline bool attr_has_dumps(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_REGS_USER && a->sample_type & PERF_SAMPLE_STACK_USER;
}

/*
 * Whether samples of this event bring something beside a chain that follows frame pointers, which passes over the callers of
 * functions that have no frame: the register that has such a caller, on machines that have one for it, or some of the
 * stack, without the registers that a walk of all of it would begin with (--call-graph fp,leaf).
 */
bool resolver_has_leaves(const struct resolver *r, const struct perf_event_attr *a);

void dumps_init(struct dumps *d, struct resolver *r);
void dumps_deinit(struct dumps *d);

/*
 * The words of a sample's chain, until the next call; returns their number, or 0 where the chain stays as it is:
 * nothing was dumped, or no file of the process can be read, and a walk would find only where the sample was.
 */
uint32_t dumps_join(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret);

/*
 * The words of a frame-pointer chain with the callers of its innermost functions, as far as they are in a register (arm64's
 * lr) or in the few bytes of stack, and not in the chain; until the next call. 0: the chain stays as it is.
 *
 * What is put in is what the tables of the code say, nothing is guessed: where a function without a frame pointer has more on
 * its stack than was copied, or no tables, its caller stays away, as it does without this.
 */
uint32_t dumps_join_leaf(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret);

/*
 * The dump ended before the stack did: where the kernel followed frame pointers besides, its chain (words: of the user's
 * part) may lead on from an address that both have. What it has before that was seen already. back: by how much walked
 * addresses precede the ones that calls return to. Appends to walked, which has n of max; false where it does not
 * lead on.
 */
bool dumps_continue(const uint64_t *words, uint32_t words_nr, uint64_t back, uint64_t *walked, uint32_t *n, uint32_t max);

/* Adds its counts to the resolver's; dumps_finish() when all have. */
void dumps_count(const struct dumps *d, struct resolver *r);
void dumps_finish(struct resolver *r);
