/*
 * Aggregates samples of a live profile in the kernel, to be read at each refresh, if that gives the same result.
 *
 * Tracepoints whose samples differ only by thread are counted by raw tracepoints, the cheapest way; others by address and stack.
 * Programs fill one of two sides: live_counters_turn() switches sides, then rings are drained, so that all tasks up to the turn are
 * known, then live_counters_read() adds the counts of the other side to the resolver. One thread, that of the session.
 */
#pragma once
#include "capture/session.h"
#include "resolve/live.h"

struct live_counters_options {
	const struct sys *sys;
	struct capture *capture;
	const struct capture_options *options; /* of the capture */
	struct resolve_live *live;             /* takes what was counted */
	uint32_t without_pid;                  /* a process that is not counted; 0: none */
	bool by_labels;                        /* rows differ only by labels of samples, not by address or stack */
};

struct live_counters;

/* Counts all events or none, since they are read together. Call it before the capture's events get filters other than the user's. An
 * error says why it is impossible. */
struct strobe_error *live_counters_open(const struct live_counters_options *o, struct live_counters **ret) _must_check_;
/* May be NULL. */
void live_counters_close(struct live_counters *c);
/* Nothing is counted before. */
void live_counters_enable(const struct live_counters *c, bool on);
void live_counters_turn(struct live_counters *c);
void live_counters_read(struct live_counters *c);
/* How long the tables will have room for more; 0: read them now, even if no refresh is due. */
uint64_t live_counters_room_ns(const struct live_counters *c);
/* Samples lost so far because tables were full. */
uint64_t live_counters_lost(const struct live_counters *c);
