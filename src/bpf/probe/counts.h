/* Inline probes that are counted: a count source (counter/counter.h), whose programs take no samples. */
#pragma once
#include "counter/counter.h"

/*
 * Takes the events of the set that are probes, if any is. t: the target of the set, which is a command that is started where it is none
 * (target_is_none()). The source lives in the set.
 */
struct strobe_error *probe_counts_take(struct counter_set *set, const struct target *t) _must_check_;
