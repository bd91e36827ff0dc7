/*
 * Progress of long work: libraries report, cmd/ shows it on a terminal (after half a second, at most ten times per second).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "reading", "resolving"; static string */
	uint64_t done, total;
	/* Called from time to time; returns false to stop the work. NULL = none. */
	bool (*tick)(void *ctx, const struct progress *p);
	void *ctx;
	uint64_t next_tick; /* of `done` */
};

bool progress_tick(struct progress *p);

/* Adds to done; false when the user stopped it. Cheap enough for each record. */
static inline bool progress_add(struct progress *p, uint64_t n)
{
	p->done += n;
	return p->done < p->next_tick || progress_tick(p);
}
