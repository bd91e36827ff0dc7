/*
 * Selects the refreshes of a live profile to show: all up to now, with decay depending on the history's mode, or, while paused, a past
 * one or those of a span of time. Also keeps the first minute of the run, for comparison.
 *
 * The history is borrowed. While the display is paused the history continues: a new slice moves the paused one further back. The very
 * first slice is made at once and has no duration: it cannot be selected. Times are nanoseconds of the clock of the slices.
 * One thread.
 */
#pragma once
#include "base/error.h"
#include "profile/history.h"
#include "profile/time_counts.h"

struct playback {
	struct history *history;
	uint64_t began_ns;
	bool is_paused;
	size_t back;                   /* number of slices after the one shown; while paused */
	struct time_range span;        /* show only slices of this time; while paused. {}: no span */
	struct profile *first_minute;  /* once it is over */
	struct profile *so_far;        /* the same before its end, as long as it is shown */
};

void playback_init(struct playback *p, struct history *history, uint64_t now_ns);
void playback_deinit(struct playback *p);
/* Pauses at the last slice, or resumes. */
void playback_pause(struct playback *p, bool on);
/* Pauses and moves to an earlier (by < 0) or later slice, up to the ends of the history. */
void playback_step(struct playback *p, int by);
/* Pauses at a span of time; {} resumes. ERROR_NOT_FOUND if the history has no slice of it. */
struct strobe_error *playback_narrow(struct playback *p, struct time_range span) _must_check_;
/* A slice was added to the history. */
void playback_added(struct playback *p);
/* Copies the first minute from the history at its end, since slices are not kept forever. */
void playback_keep_first_minute(struct playback *p, uint64_t now_ns);
/* Sets the counts of the history's profile to the selection. */
void playback_show(struct playback *p);
/* The first minute, or its part so far; valid until playback_show(). Until then the history's profile has other counts. */
struct profile *playback_first_minute(struct playback *p);
/* Whether a past slice is shown, and how long ago it ended. */
bool playback_age(const struct playback *p, uint64_t now_ns, uint64_t *ret_ns);
/* The samples of a span, or with {} of the whole history, in at most n steps, n > 1. ERROR_NOT_FOUND if the history has nothing of it. */
struct strobe_error *playback_times(const struct playback *p, struct time_range span, unsigned n, struct time_counts *ret)
	_must_check_;
