/*
 * A profile that goes on: slices of time added one after the other, and what of them is shown.
 *
 * Frames, stacks and labels of all slices are interned once, in one profile; a slice is a list of the rows that it added to.
 * What is shown are that profile's rows with their counts set: of all slices fading out (each refresh leaves 7/8 of what
 * was there, as perf's top has it), of the last one alone, of all without loss, or of a span of slices that are
 * still remembered. A row that counts nothing at the moment has 0 samples. From time to time rows that nothing counts any
 * more are dropped, with the stacks that only they had: memory follows what is shown and remembered, not the time that
 * has passed.
 *
 * Belongs to one thread. Ids of the profile hold until the next history_end() or history_add().
 */
#pragma once
#include "profile/profile.h"

enum history_mode {
	HISTORY_FADE, /* what is older counts less */
	HISTORY_LAST, /* the last slice (-z) */
	HISTORY_ALL,  /* everything since the beginning */
};

struct history_stat {
	uint64_t samples, value, weight;
};

struct history_delta {
	uint32_t row;
	struct history_stat add;
};

struct history_slice {
	struct history_delta *deltas;
	uint32_t nr;
	uint64_t start_ns, end_ns;
	uint64_t samples;
};

struct history {
	struct profile *profile; /* what is shown */
	enum history_mode mode;
	uint64_t remember;       /* rows of slices that are kept at most */
	VEC(struct history_stat) faded, all; /* by row */
	VEC(struct history_slice) slices;    /* the oldest first */
	uint64_t remembered;     /* rows of them */
	uint64_t added;          /* slices so far */
	uint64_t live;           /* rows that counted something when rows were dropped last */
};

/* remember: how many rows of slices to keep for history_show_span(); 0 = none. */
void history_init(struct history *h, enum history_mode mode, uint64_t remember);
void history_deinit(struct history *h);
/*
 * A new slice: what is added to the profile that this returns, rows and counts, up to history_end(); the profile then shows what
 * the mode says. Between the two it shows what was added alone.
 */
struct profile *history_begin(struct history *h);
void history_end(struct history *h, uint64_t start_ns, uint64_t end_ns);
/* The same of a slice that is a profile of its own; it is destroyed. */
void history_add(struct history *h, struct profile *slice, uint64_t start_ns, uint64_t end_ns);
/* Forgets what was counted, and shows nothing until more is; slices stay remembered. */
void history_zero(struct history *h);
/* Sets the counts as the mode says, or to the sum of the remembered slices from first to last. */
void history_show(struct history *h);
void history_show_span(struct history *h, size_t first, size_t last);
