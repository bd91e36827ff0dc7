/*
 * A profile seen through regular expressions on the names of frames: which stacks count, and which frames of them show.
 *
 * Expressions are POSIX extended ones. A frame matches where the name of its function, its source file or its object does.
 * What is left of a stack from which frames were taken is a stack like any other; one of which nothing is left is gone.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

struct profile_select {
	const char *focus;      /* stacks with a frame that matches */
	const char *ignore;     /* stacks without one */
	const char *hide;       /* frames that match are taken out */
	const char *show;       /* frames that do not are */
	const char *show_from;  /* frames outside the outermost match are; stacks without a match are gone */
	const char *prune_from; /* frames inside the innermost match are */
	bool keeps_apart;       /* rows that become alike stay rows of their own, and stacks are not interned: to be listed, not summed */
};

static inline bool profile_selects(const struct profile_select *s)
{
	return s->focus || s->ignore || s->hide || s->show || s->show_from || s->prune_from;
}
/* A new profile, the caller's. ERROR_USAGE where an expression does not parse. */
struct strobe_error *profile_select(const struct profile *p, const struct profile_select *select, struct profile **ret)
	_must_check_;
/*
 * Takes out the frames that the profile says are of no interest (an allocator's own): those inside of a frame whose name,
 * without its arguments, matches origin.drop_frames, and it too, but not where the name matches origin.keep_frames. Outside of
 * the first code that does not match, only inlined functions go.
 */
struct strobe_error *profile_drop_uninteresting(const struct profile *p, struct profile **ret) _must_check_;
