/*
 * A profile as folded stacks: one line for each distinct stack, "process;outermost;…;innermost VALUE", sorted by its
 * bytes. The form that flame graph programs read; the same text as `perf script | stackcollapse-perf.pl` makes, but for
 * what that loses: stacks of processes with names of one letter, frames whose names begin with a parenthesis, samples
 * without call chains (they get their one frame here).
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "view/frame_names.h"

struct folded_options {
	struct frame_names_options names; /* .full must be false: a full name may hold what separates names */
	uint32_t event;     /* index in profile->events */
	bool count_samples; /* values are sample counts, and not sums of periods; so for tracepoints in any case */
};

/* The text's writes may fail: out_close() reports it. ERROR_NOT_FOUND where the profile has no such event. */
struct strobe_error *view_folded(const struct profile *p, const struct folded_options *options, struct out *out) _must_check_;
