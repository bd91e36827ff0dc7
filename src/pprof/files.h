/*
 * Files that get a name of their own: reports without -output, profiles that were fetched, what a viewer is to show.
 *
 * The functions that return a path create an empty file of mode 0600 whose name was free; the path is in the arena.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "profile/profile.h"

/* STEM001.SUFFIX, or with the first number that is free. */
struct strobe_error *pprof_new_file(struct arena *arena, const char *stem, const char *suffix, const char **ret) _must_check_;
/* In $TMPDIR or /tmp. */
struct strobe_error *pprof_temporary_file(struct arena *arena, const char *suffix, const char **ret) _must_check_;
/*
 * Runs the first of the programs that there is, named with "|" between them; waits: until it ends. ERROR_NOT_FOUND if there is none.
 */
struct strobe_error *pprof_view_file(struct arena *arena, const char *viewers, const char *path, bool waits) _must_check_;
/* For a fetched profile: in $PPROF_TMPDIR, ~/pprof or /tmp, by the names of its program and its values. */
struct strobe_error *pprof_saved_file(struct arena *arena, const struct profile *p, const char **ret) _must_check_;
