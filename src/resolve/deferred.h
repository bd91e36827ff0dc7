/*
 * User chains that the kernel took on the way back to user space (PERF_RECORD_CALLCHAIN_DEFERRED, --call-graph fp,defer),
 * and the samples that wait for them.
 *
 * A sample's chain ends in PERF_CONTEXT_USER_DEFERRED and a cookie; a record of the same thread with that cookie follows
 * sooner or later, for all samples since the thread came into the kernel. All such records are noted before samples are
 * looked at; then any number of threads may join. Source: perf_event.h of Linux 6.19.
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
	VEC(uint64_t) words;  /* number of addresses, addresses, of one chain after the other */
};

typedef VEC(uint64_t) deferred_chain;

/* Whether chains of this event may be continued so; whether those of any are. */
bool attr_is_deferred(const struct perf_event_attr *a);
bool deferred_in(const struct env *env);
void deferred_note(struct deferred *d, const struct env *env, struct record r);
/*
 * The whole chain into *to, which is reused; false where words has no cookie, or one that no record came for: those stay as
 * they are.
 */
bool deferred_join(const struct deferred *d, uint32_t tid, const uint64_t *words, uint64_t words_nr, deferred_chain *to);
void deferred_deinit(struct deferred *d);
