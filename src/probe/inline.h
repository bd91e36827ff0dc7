/*
 * Inline probes among the events of a list, without a definition in tracefs (event/event.h): their places, fetch plans, names and
 * formats.
 *
 * A probe is one event, even if it has several places: an inlined function, a line with several addresses. A glob makes one per function.
 * Names are those of strobe probe; duplicates get a number.
 */
#pragma once
#include "event/event.h"
#include "probe/fetch_plan.h"
#include "probe/target.h"

#define PROBE_INLINE_PLACES_MAX 16384 /* of a list */

struct probe_inline {
	const char *path;           /* of the program; NULL: the kernel */
	bool is_return;
	uint32_t nr;                /* of places */
	const uint64_t *at;         /* offsets in the file, or addresses in the kernel */
	const uint64_t *semaphores; /* of markers: offsets in the file; NULL: none */
	const struct fetch_plan *plans;
	struct fetch_plan_filter filter;
};

bool probe_inline_is_any(const struct event_list *list);
/* Resolves the probes of the list; everything lives in its arena. On an error the list is unchanged, or can only be destroyed. */
struct strobe_error *probe_inline_resolve(struct event_list *list, const struct sys *sys, const struct probe_files *files) _must_check_;
