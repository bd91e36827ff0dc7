/*
 * Places of markers (SDT, USDT), with their semaphores, which count users, and arguments.
 */
#pragma once
#include "probe/place.h"

/* name: "sdt_PROVIDER:NAME" or "NAME", either part may be a glob. Appends in no order. */
struct strobe_error *probe_markers_find(struct probe_target *t, const char *name, struct probe_places *ret) _must_check_;
/* The paths of files in the build ID cache with such a marker, each once. */
typedef VEC(char *) probe_paths; /* owned strings */
void probe_markers_files(const struct sys *sys, const char *buildid_dir, const char *name, probe_paths *ret);
