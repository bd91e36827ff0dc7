/*
 * A live profile: slices of time, added one after the other, and a selection of them to show.
 *
 * Frames, stacks and labels of all slices are interned once, in one profile; a slice is a list of the rows that it added to.
 * The profile's rows have the counts of the selection: all slices with decay (as in perf top, each refresh multiplies older
 * counts by 7/8), only the last one, all without decay, or a span of the stored slices. A row without counts at the moment
 * has 0 samples. From time to time unused rows are dropped, with the stacks that only they had, so that memory does not grow
 * with time.
 *
 * Belongs to one thread. Ids of the profile hold until the next history_end() or history_add().
 */
#pragma once
#include "profile/profile.h"

enum history_mode {
	HISTORY_FADE, /* older counts decay */
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
	uint64_t remember;       /* maximum number of rows in stored slices */
	VEC(struct history_stat) faded, all; /* by row */
	VEC(struct history_slice) slices;    /* the oldest first */
	uint64_t remembered;     /* rows of them */
	uint64_t added;          /* slices so far */
	uint64_t live;           /* number of live rows when rows were last dropped */
};

/* remember: maximum number of rows in slices for history_show_span(); 0 = none. */
void history_init(struct history *h, enum history_mode mode, uint64_t remember);
void history_deinit(struct history *h);
/*
 * Begins a slice: add rows and counts to the returned profile up to history_end(); until then the profile only has the counts of the
 * slice, afterwards those of the mode.
 */
struct profile *history_begin(struct history *h);
void history_end(struct history *h, uint64_t start_ns, uint64_t end_ns);
/* Adds a separate profile as a slice, and destroys it. */
void history_add(struct history *h, struct profile *slice, uint64_t start_ns, uint64_t end_ns);
/* Resets the counts; slices are kept. */
void history_zero(struct history *h);
/* Sets the counts according to the mode, or to the sum of the stored slices from first to last. */
void history_show(struct history *h);
void history_show_span(struct history *h, size_t first, size_t last);
