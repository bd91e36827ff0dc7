/*
 * Changes descriptions of mappings or functions of a profile: paths, build IDs, names, source files.
 */
#pragma once
#include "profile/profile.h"

/*
 * Each is called once per mapping or function, with strings of dst, the new profile, to which it also adds strings. Elements
 * that become equal are merged. NULL: unchanged.
 */
struct profile_rewrite {
	void *ctx;
	void (*mapping)(void *ctx, struct profile *dst, mapping_id id, struct profile_mapping *m); /* id: in the old profile */
	void (*function)(void *ctx, struct profile *dst, struct profile_function *f);
};

/*
 * A new profile, owned by the caller, with all events, mappings, rows and the log; unused functions, frames, stacks and label sets are
 * left out.
 */
struct profile *profile_rewrite(const struct profile *p, const struct profile_rewrite *how);
