/*
 * Definitions in the build ID cache, so that they need no debug information later.
 *
 * The "probes" of a file (see probe/sdt/sdt_cache.h) has for each "#GROUP:EVENT=PLACE ARGUMENTS", as the user specified it, followed by
 * the lines for tracefs. perf reads and writes the same format. Sources: perf-probe(1), and files that perf wrote.
 */
#pragma once
#include "probe/events.h"
#include "probe/filter.h"

/* Stores the events, replacing those with the same names. */
struct strobe_error *probe_cache_add(const char *dir, const struct probe_target *t, const struct probe_events *events) _must_check_;
/* Calls fn for each that matches the filter, with the file's path and build ID. */
void probe_cache_each(const char *dir, const struct probe_filter *filter,
		      void (*fn)(void *ctx, const char *path, const char *hex, const char *definition), void *ctx);
/* Removes those, and calls fn for each. *ret_nr counts them. */
struct strobe_error *probe_cache_remove(const char *dir, const struct probe_filter *filter, void (*fn)(void *ctx, const char *definition),
					void *ctx, size_t *ret_nr) _must_check_;
/* Appends the places of a cached definition of the target, with arguments; false: no such name. */
bool probe_cache_find(const char *dir, struct probe_target *t, const char *event, struct probe_places *ret);
/* Whether another build of the target's path has a cached definition of that name. */
bool probe_cache_has_older(const char *dir, const struct probe_target *t, const char *event);
