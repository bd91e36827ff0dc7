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

/* What makes a profile of where time goes, running and waiting; both are UINT32_MAX where the recording is not one of that. */
struct wait_events {
	uint32_t wait_event, clock_event;
};
struct wait_events wait_events_of(const struct env *env);
