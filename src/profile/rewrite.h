/*
 * A profile whose mappings or functions are described anew: other paths, build-ids, names, source files.
 */
#pragma once
#include "profile/profile.h"

/*
 * Each is called once for each mapping and function, with the strings of dst, the profile that is made; those that it adds
 * belong there too. What becomes equal becomes one. NULL: they stay as they are.
 */
struct profile_rewrite {
	void *ctx;
	void (*mapping)(void *ctx, struct profile *dst, mapping_id id, struct profile_mapping *m); /* id: in the old profile */
	void (*function)(void *ctx, struct profile *dst, struct profile_function *f);
};

/*
 * A new profile, the caller's, with all events, mappings, rows and the log; functions, frames, stacks and label sets that no row
 * needs are left out.
 */
struct profile *profile_rewrite(const struct profile *p, const struct profile_rewrite *how);
