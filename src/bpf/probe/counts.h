/* Counts of inline probes: a count source (counter/counter.h), whose programs take no samples. */
#pragma once
#include "counter/counter.h"

/*
 * Takes over the events of the set that are inline probes, if any. t: the target of the set; if target_is_none(), a command that is
 * started. The source lives in the set.
 */
struct strobe_error *probe_counts_take(struct counter_set *set, const struct target *t) _must_check_;
