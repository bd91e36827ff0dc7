/*
 * A profile as folded stacks: one line for each distinct stack, "process;outermost;…;innermost VALUE", sorted by its
 * bytes. This is the input of flame graph programs, equal to the output of `perf script | stackcollapse-perf.pl` except
 * for what that loses: stacks of processes with names of one letter, frames whose names begin with a parenthesis, and
 * samples without call chains (which get one frame here).
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "view/frame_names.h"

struct folded_options {
	struct frame_names_options names; /* .full must be false: a full name may contain separators */
	uint32_t event;     /* index in profile->events */
	bool count_samples; /* values are sample counts and not sums of periods; always so for tracepoints */
};

/* Write errors are reported by out_close(). ERROR_NOT_FOUND if the profile does not have the event. */
struct strobe_error *view_folded(const struct profile *p, const struct folded_options *options, struct out *out) _must_check_;

#define FOLDED_JSON_FORMAT  "strobe-flamegraph"
#define FOLDED_JSON_VERSION 1
/* The same stacks, in the same order, as one document: "frames" are the names of a line, "value" is its number. */
struct strobe_error *view_folded_json(const struct profile *p, const struct folded_options *options, struct out *out) _must_check_;
