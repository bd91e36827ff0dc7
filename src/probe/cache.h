/*
 * Definitions that are kept in the build-id cache, so that they need no debug information later.
 *
 * The "probes" of a file (see probe/sdt_cache.h) has for each "#GROUP:EVENT=PLACE ARGUMENTS", as the user gave it, and then the lines for
 * tracefs. perf reads and writes the same. Source: perf-probe(1), and what perf leaves on disk.
 */
#pragma once
#include "probe/events.h"
#include "probe/filter.h"

/* Keeps those events; one of the same name gives way. */
struct strobe_error *probe_cache_add(const char *dir, const struct probe_target *t, const struct probe_events *events) _must_check_;
/* Calls fn for each that the filter matches, with the file's path and build-id. */
void probe_cache_each(const char *dir, const struct probe_filter *filter,
		      void (*fn)(void *ctx, const char *path, const char *hex, const char *definition), void *ctx);
/* Removes those, and calls fn for each. *ret_nr counts them. */
struct strobe_error *probe_cache_remove(const char *dir, const struct probe_filter *filter, void (*fn)(void *ctx, const char *definition),
					void *ctx, size_t *ret_nr) _must_check_;
/* Appends the places of a definition that is kept of the target, with their arguments; false where there is none of that name. */
bool probe_cache_find(const char *dir, const struct probe_target *t, const char *event, struct probe_places *ret);
