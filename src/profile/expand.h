/*
 * A profile of which frames are replaced: each by one or more, as where what was inlined there becomes known.
 */
#pragma once
#include "profile/profile.h"

#define PROFILE_EXPAND_MAX 64

/*
 * The frames of dst, innermost first, that stand for a frame: old is as p has it, moved the same with the ids of dst. Returns
 * how many; 0: it stays as it is. Called once for each frame of p that a stack has.
 */
typedef unsigned (*profile_expand_fn)(void *ctx, struct profile *dst, const struct profile_frame *old,
				      const struct profile_frame *moved, frame_id ret[PROFILE_EXPAND_MAX]);

/* A new profile, the caller's, with all events, rows and labels; a log is not carried over. */
struct profile *profile_expand(const struct profile *p, profile_expand_fn expand, void *ctx);
