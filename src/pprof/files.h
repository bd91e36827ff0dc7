/*
 * Creates files with new names: reports without -output, fetched profiles, files for viewers.
 *
 * The functions that return a path create an empty file of mode 0600 whose name was free; the path is in the arena.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "profile/profile.h"

/* STEM001.SUFFIX, or with the first unused number. */
struct strobe_error *pprof_new_file(struct arena *arena, const char *stem, const char *suffix, const char **ret) _must_check_;
/* In $TMPDIR or /tmp. */
struct strobe_error *pprof_temporary_file(struct arena *arena, const char *suffix, const char **ret) _must_check_;
/* Runs the first of the programs that is installed; their names are separated by "|". waits: until it ends. ERROR_NOT_FOUND if none is. */
struct strobe_error *pprof_view_file(struct arena *arena, const char *viewers, const char *path, bool waits) _must_check_;
/* For a fetched profile: in $PPROF_TMPDIR, ~/pprof or /tmp, named after its program and its values. */
struct strobe_error *pprof_saved_file(struct arena *arena, const struct profile *p, const char **ret) _must_check_;
