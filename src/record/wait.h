/*
 * Events of waits in a recording (record/wait_layout.h): `record --wall` samples running threads by a clock, and records their waits.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "record/env.h"
#include "record/wait_layout.h"

#define WAIT_WALL_NAME "wall-time" /* samples of a clock, and waits */

/* Whether this is an event of waits with raw bytes. */
bool wait_is_event(const struct env_event *e);
bool env_has_waits(const struct env *env);

/* The raw bytes of such a sample, in native byte order. */
struct wait_payload {
	struct wait_raw raw;
	struct wait_lock lock; /* zeros if there is none */
	bool has_lock;
	uint32_t waker_nr, owner_nr;
	uint64_t waker[WAIT_WAKER_MAX], owner[WAIT_OWNER_MAX]; /* addresses, innermost first */
};
/* False: not a wait; of the data after the fixed part, only the complete part is used. */
bool wait_payload_read(const void *raw, uint32_t bytes, struct wait_payload *ret);

/* The events of a profile of time, running and waiting; both are UINT32_MAX for other recordings. */
struct wait_events {
	uint32_t wait_event, clock_event;
};
struct wait_events wait_events_of(const struct env *env);
