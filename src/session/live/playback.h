/*
 * Which refreshes of a live profile are shown: those up to now, faded as the history's mode says; or, paused, one of the past or
 * those of a span of time. And what the first minute of the run was, to compare with.
 *
 * The history is borrowed. While the display is paused the history goes on: a new slice moves the paused one further back. The very
 * first slice is made at once, of the samples of no time: it cannot be stepped to. Times are nanoseconds of the clock of the slices.
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
	size_t back;                   /* slices between the one that is shown and the last; paused */
	struct time_range span;        /* only slices of this time are shown; paused. {}: no span */
	struct profile *first_minute;  /* once it is over */
	struct profile *so_far;        /* the same before, for as long as it is shown */
};

void playback_init(struct playback *p, struct history *history, uint64_t now_ns);
void playback_deinit(struct playback *p);
/* Pauses at the last slice, or resumes. */
void playback_pause(struct playback *p, bool on);
/* Pauses one slice earlier (by < 0) or later than what is shown; stops at the ends of what is remembered. */
void playback_step(struct playback *p, int by);
/* Pauses at a span of time; {} resumes. ERROR_NOT_FOUND where no slice of it is remembered. */
struct strobe_error *playback_narrow(struct playback *p, struct time_range span) _must_check_;
/* A slice was added to the history. */
void playback_added(struct playback *p);
/* Takes the first minute out of the history once it is over: slices are not remembered for ever. */
void playback_keep_first_minute(struct playback *p, uint64_t now_ns);
/* Sets the counts of the history's profile to what is shown. */
void playback_show(struct playback *p);
/* The first minute, or what there is of it; valid until playback_show(). The history's profile has other counts until then. */
struct profile *playback_first_minute(struct playback *p);
/* Whether one slice of the past is shown, and how long ago it ended. */
bool playback_age(const struct playback *p, uint64_t now_ns, uint64_t *ret_ns);
/* The samples of a span, {} of all that is remembered, in at most n steps, n > 1. ERROR_NOT_FOUND where nothing of it is remembered. */
struct strobe_error *playback_times(const struct playback *p, struct time_range span, unsigned n, struct time_counts *ret)
	_must_check_;
