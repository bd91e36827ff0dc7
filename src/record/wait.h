/*
 * Events of waits in a recording (record/wait_layout.h): `record --wall` writes where threads run, as samples of a clock, and where they
 * wait.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "record/env.h"
#include "record/wait_layout.h"

#define WAIT_WALL_NAME "wall-time" /* samples of a clock, and waits */

/* Whether this is an event of waits, with what they say. */
bool wait_is_event(const struct env_event *e);
bool env_has_waits(const struct env *env);

/* The bytes of such an event's sample, in the order of this machine. */
struct wait_payload {
	struct wait_raw raw;
	struct wait_lock lock; /* zeros if there is none */
	bool has_lock;
	uint32_t waker_nr, owner_nr;
	uint64_t waker[WAIT_WAKER_MAX], owner[WAIT_OWNER_MAX]; /* addresses, innermost first */
};
/* False where they are not those of a wait; of what follows the beginning, only what is whole is taken. */
bool wait_payload_read(const void *raw, uint32_t bytes, struct wait_payload *ret);

/* What makes a profile of where time goes, running and waiting; both are UINT32_MAX where the recording is not one of that. */
struct wait_events {
	uint32_t wait_event, clock_event;
};
struct wait_events wait_events_of(const struct env *env);
