/*
 * Filters of names: globs joined by '!', '&', '|' and parentheses, "!_* & !*@plt". Source: perf-probe(1).
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct probe_filter; /* in the arena that it was parsed into */

struct strobe_error *probe_filter_parse(const char *text, struct arena *arena, const struct probe_filter **ret) _must_check_;
/* The disjunction of two filters, one of which may be NULL. */
const struct probe_filter *probe_filter_or(const struct probe_filter *a, const struct probe_filter *b, struct arena *arena);
/* NULL matches all. */
bool probe_filter_matches(const struct probe_filter *f, const char *name);
/* By "EVENT" or "GROUP:EVENT". */
bool probe_filter_matches_event(const struct probe_filter *f, const char *group, const char *event);
