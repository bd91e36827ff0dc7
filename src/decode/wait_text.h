/*
 * Texts for the data in samples of waits besides stack and time (record/wait_layout.h): the state of the thread, the reason of the
 * wait, and the thread that ended it. Samples of other events are of running threads.
 *
 * All data is checked: recordings are hostile.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "record/wait_layout.h"

enum wait_part { WAIT_PART_STATE, WAIT_PART_REASON, WAIT_PART_WAKER };

/* The bytes of a sample's RAW data that distinguish one text of a part from another; false: not a wait. */
bool wait_part(enum wait_part part, const void *raw, uint32_t bytes, const void **ret, uint32_t *ret_bytes);
/* The stack of the thread that ended a wait, innermost first: addresses of its process. nr 0: not recorded. */
struct wait_waker_stack {
	uint32_t pid, tid, nr;
	uint64_t ips[WAIT_WAKER_MAX];
};
void wait_waker_stack(const void *raw, uint32_t bytes, struct wait_waker_stack *ret);
/*
 * The text of a part; raw is NULL for a sample of another event. a: the recording's architecture, for names of system calls; may be
 * NULL.
 */
void wait_text(enum wait_part part, const struct arch *a, const void *raw, uint32_t bytes, struct strbuf *ret);
