/*
 * The maps of the BPF programs of trace, for trace --map-dump: those that can be iterated over; not task storage, and not queues.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"

struct bpf_loaded;

enum trace_maps_of { TRACE_MAPS_STREAM, TRACE_MAPS_SUMMARY };

/* ERROR_USAGE for the name of an unknown map. */
struct strobe_error *trace_map_check(enum trace_maps_of of, const char *name) _must_check_;
/* A line for each element that is not all zeros. The name was checked. */
void trace_map_dump(const struct bpf_loaded *b, enum trace_maps_of of, const char *name, struct out *out);
