/*
 * Probes among the events of a list, without a definition in tracefs (event/event.h): the places they mean, what is fetched there, and
 * their names and formats.
 *
 * A probe is one event, however many places it has: a function that was inlined, a line of several addresses. A glob makes one of each
 * function. Names are those that strobe probe gives; where one is taken in the list, the next gets a number.
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
	const uint64_t *semaphores; /* of markers: where they are in the file; NULL: none has one */
	const struct fetch_plan *plans;
	struct fetch_plan_filter filter;
};

bool probe_inline_is_any(const struct event_list *list);
/* Finds what the probes of the list mean; everything lives in its arena. On an error the list is as it was, or can only be destroyed. */
struct strobe_error *probe_inline_resolve(struct event_list *list, const struct sys *sys, const struct probe_files *files) _must_check_;
