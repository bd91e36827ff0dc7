/*
 * The time range of --time of `sched` and `kwork`: FROM,TO in seconds, of which either may be missing.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sched_window {
	uint64_t start_ns, end_ns; /* 0: none */
};

/* text may be NULL: all. ERROR_USAGE. */
struct strobe_error *sched_window_parse(const char *text, struct sched_window *ret) _must_check_;
static inline bool sched_window_has(const struct sched_window *w, uint64_t time_ns)
{
	return !(w->start_ns && time_ns < w->start_ns) && !(w->end_ns && time_ns > w->end_ns);
}
