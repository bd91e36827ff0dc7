/*
 * The location of a frame, as in perf's interfaces to filters and scripts.
 *
 * Strings live as long as the session. Source: perf-dlfilter(1), perf-script-python(1).
 */
#pragma once
#include "resolve/resolve.h"

/* For a frame with a map: the path of its file, or the name of a special mapping; kernel_path: the path of the kernel's image. */
const char *place_dso(const struct resolved_frame *f, bool kernel_path);
/* The difference between an address in the DSO's space and perf's, which is a file offset for programs; else 0. */
uint64_t place_distance(const struct resolved_frame *f);
/* For a frame with a map: its build ID of *ret_bytes, 0: unknown. *facts is of the frame's DSO. */
const uint8_t *place_build_id(const struct resolved_frame *f, const struct dso_facts *facts, size_t *ret_bytes);
/* Whether the sample's data address can be that of a symbol: page faults, and branches recorded one by one. */
bool place_addr_has_symbol(const struct perf_event_attr *attr);
