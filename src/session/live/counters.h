/*
 * Samples of a live profile aggregated in the kernel, and read at each refresh: where that says the same as samples would.
 *
 * Tracepoints whose samples differ only by thread are counted by raw tracepoints, which cost least; all else by place and
 * stack. Programs fill one of two sides: live_counters_turn() changes over, then rings are drained, so that all tasks are known that
 * were met up to the turn, then live_counters_read() adds what the other side has to the resolver. One thread, that of the session.
 */
#pragma once
#include "capture/session.h"
#include "resolve/live.h"

struct live_counters_options {
	const struct sys *sys;
	struct capture *capture;
	const struct capture_options *options; /* of the capture */
	struct resolve_live *live;             /* takes what was counted */
	uint32_t without_pid;                  /* of this process nothing is counted; 0: none */
	bool by_labels;                        /* rows differ by labels of samples alone, not by place or stack */
};

struct live_counters;

/* All events or none: they are read together. Before the capture's events get filters that are not the user's. An error says why none. */
struct strobe_error *live_counters_open(const struct live_counters_options *o, struct live_counters **ret) _must_check_;
/* May be NULL. */
void live_counters_close(struct live_counters *c);
/* Nothing is counted before. */
void live_counters_enable(const struct live_counters *c, bool on);
void live_counters_turn(struct live_counters *c);
void live_counters_read(struct live_counters *c);
/* How long there may be room for more; 0: they are to be read, whether a refresh is due or not. */
uint64_t live_counters_room_ns(const struct live_counters *c);
/* Samples that there was no room for, so far. */
uint64_t live_counters_lost(const struct live_counters *c);
