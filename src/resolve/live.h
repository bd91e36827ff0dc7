/*
 * Aggregates a recording while it is being made, for `top`.
 *
 *	l = resolve_live_create(resolver, (struct resolve_live_filter){ … });
 *	while (…) {
 *		capture_drain(c, 0, resolve_live_sink(l), …);  all rings, one pass
 *		resolve_live_pass(l);
 *		if (refresh is due) resolve_live_take(l, p);  what was counted since the last one, added to a profile
 *	}
 *
 * Each record is passed on once, in the order of the rings; nothing is sorted, except samples if events switch counting on and off
 * (resolve_options.switches). Side-band records are applied to the machine at once; samples are kept until the end of the pass
 * after theirs. By then all older mappings are known, whichever ring had them, since a ring that was read early in their pass has
 * been read again. So two passes of samples are kept, besides the machine and the symbols of files: tasks that have ended, and
 * files that are no longer mapped, are dropped from time to time in resolve_live_take(). Numbers of files (profile_mapping.order)
 * are valid until the next call.
 *
 * Belongs to one thread. The resolver must outlive it, and serves nothing else meanwhile but its machine,
 * symbols and stats.
 */
#pragma once
#include "record/source.h"
#include "resolve/resolve.h"

struct resolve_live;

/* Samples that are not shown. */
struct resolve_live_filter {
	uint32_t without_pid; /* a process to ignore; 0 = none */
	bool no_kernel, no_user;
};

/* Samples since the last resolve_live_take(), including those dropped by no_kernel and no_user. */
struct resolve_live_counts {
	uint64_t samples, kernel, exact;
};

struct resolve_live *resolve_live_create(struct resolver *r, struct resolve_live_filter filter);
void resolve_live_destroy(struct resolve_live *l);
/* Takes the records of a pass over the rings, and synthesized ones before. */
struct record_sink *resolve_live_sink(struct resolve_live *l);
/* Ends a pass: all rings were read once. */
void resolve_live_pass(struct resolve_live *l);
/* Adds the samples counted since the last call to a profile, always the same or a new one. */
void resolve_live_take(struct resolve_live *l, struct profile *p);
/*
 * Samples that were counted elsewhere, such as in the kernel: a number of samples of a thread with one address and
 * stack. Only if resolve_live_takes_counts(): no label of the profile differs between samples. The chain must stay
 * valid until resolve_live_added().
 */
struct resolve_live_counted {
	uint32_t event, pid, tid, cpu;
	uint16_t misc;        /* as in a sample's record */
	uint32_t chain_nr;
	const uint64_t *chain; /* likewise */
	uint64_t ip, count, period; /* the sum of periods */
	uint64_t time_ns;     /* of the first of them; 0: the thread as it was last */
};
bool resolve_live_takes_counts(const struct resolve_live *l);
void resolve_live_add(struct resolve_live *l, const struct resolve_live_counted *c);
/* From now on chains that were added are not accessed. */
void resolve_live_added(struct resolve_live *l);
struct resolve_live_counts resolve_live_counts(const struct resolve_live *l);
void resolve_live_set_filter(struct resolve_live *l, struct resolve_live_filter filter);
