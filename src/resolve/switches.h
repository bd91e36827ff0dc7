/*
 * --switch-on and --switch-off: samples count from a sample of the first event up to one of the second, repeatedly.
 *
 * Pass each sample once, in order of time. Samples before the first --switch-on are dropped.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/env.h"

/* Zeroed: all samples count. */
struct event_switches {
	uint32_t on, off; /* index of the event in the environment, + 1; 0: none */
	bool keep;        /* samples of these two events also count */
	bool is_off;      /* samples are being dropped */
};

/* The event that an option names (NULL: none), as index + 1; ERROR_NOT_FOUND if there is none. is_live: for the message. */
struct strobe_error *event_switches_find(const struct env *env, const char *name, const char *option, bool is_live, uint32_t *ret)
	_must_check_;
/* Before the first sample. */
static inline void event_switches_start(struct event_switches *s)
{
	s->is_off = s->on != 0;
}
/* Whether a sample of this event is dropped. Changes the state. */
bool event_switches_leave_out(struct event_switches *s, uint32_t event);
