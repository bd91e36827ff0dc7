/*
 * Aggregating a recording while it is being made: what `top` shows.
 *
 *	l = resolve_live_create(resolver, (struct resolve_live_filter){ … });
 *	while (…) {
 *		capture_drain(c, 0, resolve_live_sink(l), …);  all rings, one pass
 *		resolve_live_pass(l);
 *		if (refresh is due) resolve_live_take(l, p);  what was counted since the last one, added to a profile
 *	}
 *
 * Each record is handed over once, in the order of the rings; nothing is sorted, but samples where events switch counting on and
 * off (resolve_options.switches). Side-band records are applied to the machine
 * as they come; samples are kept until the pass after theirs is over. By then every mapping that is older than they are is
 * known, whichever ring it stood in, since a ring that was read early in their pass has been read again. What is kept are
 * two passes of samples; the rest is the machine and the symbols of files: tasks that have ended, and files that are not mapped any
 * more, are forgotten from time to time, at a resolve_live_take(). Numbers of files (profile_mapping.order) hold up to the next.
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
	uint32_t without_pid; /* of this process, as if it were not there; 0 = none */
	bool no_kernel, no_user;
};

/* Samples met since the last resolve_live_take(), those of no_kernel and no_user among them. */
struct resolve_live_counts {
	uint64_t samples, kernel, exact;
};

struct resolve_live *resolve_live_create(struct resolver *r, struct resolve_live_filter filter);
void resolve_live_destroy(struct resolve_live *l);
/* Takes records of one pass over the rings, and those that were synthesised before. */
struct record_sink *resolve_live_sink(struct resolve_live *l);
/* All rings were read once. */
void resolve_live_pass(struct resolve_live *l);
/* Adds the samples counted since the last call to a profile: to the same one each time, or to new ones. */
void resolve_live_take(struct resolve_live *l, struct profile *p);
/*
 * What was counted somewhere else and not sampled: so many samples of a thread at one place, with one stack. Only where
 * resolve_live_takes_counts(): no label of the profile differs from sample to sample. Its chain stays where it is until
 * resolve_live_added().
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
/* Chains of what was added are not looked at any more. */
void resolve_live_added(struct resolve_live *l);
struct resolve_live_counts resolve_live_counts(const struct resolve_live *l);
void resolve_live_set_filter(struct resolve_live *l, struct resolve_live_filter filter);
