/*
 * Where a frame lies, as perf's interfaces to filters and scripts give it.
 *
 * Strings live as long as the session. Source: perf-dlfilter(1), perf-script-python(1).
 */
#pragma once
#include "resolve/resolve.h"

/* Of a frame with a map: the path of its file, or the name of what is none; kernel_path: the path of the kernel's image. */
const char *place_dso(const struct resolved_frame *f, bool kernel_path);
/* What is taken from an address of the DSO's space to have perf's: an offset into the file where it is one of a program; else 0. */
uint64_t place_distance(const struct resolved_frame *f);
/* Of a frame with a map: its build ID, which has *ret_bytes, 0: unknown. *facts is of the frame's DSO. */
const uint8_t *place_build_id(const struct resolved_frame *f, const struct dso_facts *facts, size_t *ret_bytes);
/* Whether the address that a sample carries lies where a symbol could be: page faults, and branches recorded one by one. */
bool place_addr_has_symbol(const struct perf_event_attr *attr);
