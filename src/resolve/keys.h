/*
 * Labels: the properties of a sample that can be columns of a profile, and their extraction.
 *
 * Extraction yields raw 64-bit values; their meaning (a string, a frame) is resolved once per distinct label set, when the
 * profile is filled.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "decode/wait_text.h"
#include "machine/machine.h"
#include "profile/profile.h"
#include "record/sample.h"

enum key_id {
	/* Of the thread: extracted once, until they change. */
	KEY_COMM, KEY_PID, KEY_TID, KEY_CGROUP_DEV, KEY_CGROUP_INO, KEY_PPID,
	/* In the fixed part of every sample. */
	KEY_CPU, KEY_SOCKET, KEY_CPUMODE, KEY_MACHINE, KEY_TIME, KEY_PARALLELISM,
	/* Tracepoint data: interned by its bytes. */
	KEY_TRACE, KEY_TRACE_FIELD,
	/* Of a wait: interned likewise; in the order of enum wait_part. */
	KEY_WAIT_STATE, KEY_WAIT_REASON, KEY_WAKER,
	KEY_WAKER_STACK, /* of a wait: its waker's frames */
	/* Require the whole sample to be decoded. */
	KEY_ADDR, KEY_DADDR, KEY_BACKING, KEY_WEIGHT, KEY_INS_LAT, KEY_P_STAGE_CYC, KEY_TRANSACTION, KEY_DATA_SRC, KEY_PHYS_ADDR,
	KEY_CGROUP, KEY_CGROUP_ID, KEY_CODE_PAGE_SIZE, KEY_DATA_PAGE_SIZE,
	/* Of one branch (branch_mode). */
	KEY_BRANCH_FROM, KEY_BRANCH_TO, KEY_BRANCH_FLAGS, KEY_BRANCH_CYCLES,
};

struct key {
	const char *name;
	enum key_id id;
	enum column_type type; /* in the profile */
};

/* By name, or NULL. "trace:NAME" and "trace:NAME/raw" find KEY_TRACE_FIELD. */
const struct key *key_find(const char *name);

static inline bool key_is_of_thread(enum key_id id)
{
	return id <= KEY_PPID;
}

static inline bool key_is_of_wait(enum key_id id)
{
	return id >= KEY_WAIT_STATE && id <= KEY_WAKER;
}

static inline enum wait_part key_wait_part(enum key_id id)
{
	return (enum wait_part)(id - KEY_WAIT_STATE);
}

static inline bool key_needs_full_decode(enum key_id id)
{
	return id >= KEY_ADDR;
}

/* Raw values are addresses, which the worker makes frames of. */
static inline bool key_is_address(const struct key *k)
{
	return k->type == COLUMN_FRAME || k->id == KEY_BACKING;
}

/* The raw value of a key that needs the whole sample; branch is NULL outside of branch_mode. */
uint64_t key_extract(enum key_id id, const struct sample *s, const struct perf_branch_entry *branch);
