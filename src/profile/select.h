/*
 * Selects stacks and frames of a profile by regular expressions on names of frames.
 *
 * Expressions are POSIX extended ones. A frame matches if the name of its function, source file or object does. A stack consists
 * of its remaining frames; one without any is removed.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

struct profile_select {
	const char *focus;      /* stacks with a frame that matches */
	const char *ignore;     /* stacks without one */
	const char *hide;       /* remove frames that match */
	const char *show;       /* remove frames that do not match */
	const char *show_from;  /* remove frames outside of the outermost match, and stacks without a match */
	const char *prune_from; /* remove frames inside of the innermost match */
	bool keeps_apart;       /* do not merge rows that become equal, nor their stacks: for lists of samples */
};

static inline bool profile_selects(const struct profile_select *s)
{
	return s->focus || s->ignore || s->hide || s->show || s->show_from || s->prune_from;
}
/* A new profile, owned by the caller. ERROR_USAGE for an invalid expression. */
struct strobe_error *profile_select(const struct profile *p, const struct profile_select *select, struct profile **ret)
	_must_check_;
/*
 * Removes frames according to the profile's drop_frames (such as those of an allocator): a frame whose name, without
 * arguments, matches origin.drop_frames but not origin.keep_frames, and all inside of it. Outside of the first code that does
 * not match, only inlined functions are removed.
 */
struct strobe_error *profile_drop_uninteresting(const struct profile *p, struct profile **ret) _must_check_;
