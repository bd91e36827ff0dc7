/*
 * User chains that the kernel records on return to user space (PERF_RECORD_CALLCHAIN_DEFERRED, --call-graph fp,defer), joined
 * with their samples.
 *
 * A sample's chain ends in PERF_CONTEXT_USER_DEFERRED and a cookie; a later record of the same thread with that cookie
 * has the user chain for all samples since the thread entered the kernel. All such records are stored before samples are
 * processed; then any number of threads may join. Source: perf_event.h of Linux 6.19.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "record/env.h"

/* A zeroed one is empty. */
struct deferred {
	struct u64map at;     /* thread and cookie → place in words + 1 */
	VEC(uint64_t) words;  /* chains: the number of addresses, then the addresses */
};

typedef VEC(uint64_t) deferred_chain;

/* Whether chains of this event, or of any event, may be deferred. */
bool attr_is_deferred(const struct perf_event_attr *a);
bool deferred_in(const struct env *env);
void deferred_note(struct deferred *d, const struct env *env, struct record r);
/*
 * Writes the complete chain to *to, which is reused; false: words have no cookie, or there is no record for it: the chain is
 * unchanged.
 */
bool deferred_join(const struct deferred *d, uint32_t tid, const uint64_t *words, uint64_t words_nr, deferred_chain *to);
void deferred_deinit(struct deferred *d);
