/*
 * Replaces frames of a profile, each by one or more, such as when inlined functions become known.
 */
#pragma once
#include "profile/profile.h"

#define PROFILE_EXPAND_MAX 64

/*
 * Returns the frames of dst, innermost first, that replace a frame: old is the frame of p, moved the same with IDs of dst. Returns
 * their number; 0: unchanged. Called once for each used frame of p.
 */
typedef unsigned (*profile_expand_fn)(void *ctx, struct profile *dst, const struct profile_frame *old,
				      const struct profile_frame *moved, frame_id ret[PROFILE_EXPAND_MAX]);

/* A new profile, owned by the caller, with all events, rows and labels, but without the log. */
struct profile *profile_expand(const struct profile *p, profile_expand_fn expand, void *ctx);
