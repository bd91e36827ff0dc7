/*
 * Tracepoints by name: their IDs, and matches of globs.
 *
 * Source: Documentation/trace/events.rst. Names are sorted.
 */
#pragma once
#include "base/error.h"
#include "sys/sys.h"

/* The systems (directories of events/); tracefs: the path from sys_tracefs(). */
struct strobe_error *tracepoint_systems(const struct sys *sys, const char *tracefs, sys_names *ret) _must_check_;
/* The events of a system that perf can count: those with an id. */
struct strobe_error *tracepoint_events(const struct sys *sys, const char *tracefs, const char *system,
				       sys_names *ret) _must_check_;
struct strobe_error *tracepoint_id(const struct sys *sys, const char *tracefs, const char *system, const char *name,
				   uint64_t *ret) _must_check_;
/* Whether this kernel has it, and tracefs can be read. */
bool tracepoint_exists(const struct sys *sys, const char *system, const char *name);
bool tracepoint_is_glob(const char *text);
