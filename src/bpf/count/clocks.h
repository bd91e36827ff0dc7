/*
 * Enabled and running times of an event that a BPF program counts: the kernel keeps them for dummy events on the same CPUs and tasks.
 */
#pragma once
#include "counter/counter.h"

struct count_clocks {
	VEC(int) fds; /* one per slot of the event; -1: its task has ended */
};

/* Opens a dummy event for each slot of the first event of the set that has this source. */
struct strobe_error *count_clocks_open(struct count_clocks *c, const struct counter_set *set,
				       const struct count_source *source) _must_check_;
void count_clocks_close(struct count_clocks *c);
void count_clocks_deinit(struct count_clocks *c);
void count_clocks_enable(const struct count_clocks *c, const struct sys *sys, bool on);
/* enabled_ns and running_ns of a slot; 0 for slots without a dummy event. */
void count_clocks_read(const struct count_clocks *c, size_t slot, struct count_reading *ret);
