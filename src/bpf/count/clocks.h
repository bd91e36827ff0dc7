/*
 * How long each slot of an event that a program counts was counted: dummy events of its CPUs and tasks, which the kernel keeps the time of.
 */
#pragma once
#include "counter/counter.h"

struct count_clocks {
	VEC(int) fds; /* one for each slot that an event has; -1: its task has ended */
};

/* As the first event of the set that has this source is opened. */
struct strobe_error *count_clocks_open(struct count_clocks *c, const struct counter_set *set,
				       const struct count_source *source) _must_check_;
void count_clocks_close(struct count_clocks *c);
void count_clocks_deinit(struct count_clocks *c);
void count_clocks_enable(const struct count_clocks *c, const struct sys *sys, bool on);
/* enabled_ns and running_ns of a slot; slots beyond have none. */
void count_clocks_read(const struct count_clocks *c, size_t slot, struct count_reading *ret);
