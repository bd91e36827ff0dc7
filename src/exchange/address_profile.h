/*
 * Builds a profile from bare addresses, as in the formats before profile.proto, whose mappings come last.
 *
 * Stacks are kept as addresses until the mappings are known; address_profile_finish() converts them to frames. Belongs
 * to one reader; the lines of mappings are those of /proc/PID/maps or the shorter "start-end: file (@offset)".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vector.h"
#include "profile/profile.h"

#define ADDRESS_VALUES_MAX 4

struct address_stack {
	uint32_t first, nr; /* in address_profile.addresses, innermost first */
	int64_t values[ADDRESS_VALUES_MAX];
	uint64_t bytes;     /* size of the blocks, a label; 0 = none */
};

struct address_name {
	str_id name, value;
};

struct address_profile {
	struct profile *p; /* events must be declared before address_profile_finish() */
	VEC(uint64_t) addresses;
	VEC(struct address_stack) stacks;
	VEC(struct profile_mapping) mappings; /* as the lines describe them, not yet in the profile */
	VEC(struct address_name) names;       /* "name=value" lines between those of mappings: $name stands for value */
	bool has_places;      /* addresses are keys of `places`, not addresses of code */
	struct u64map places; /* by address: frame_id */
};

void address_profile_init(struct address_profile *a);
/* Begins a stack; addresses pushed from now on belong to it. */
struct address_stack *address_profile_stack(struct address_profile *a);
void address_profile_push(struct address_profile *a, uint64_t address);
/* Adds a line of the table of mappings, with or without the prefix of a logger. Other lines are skipped. */
void address_profile_map_line(struct address_profile *a, const char *line, size_t n);
/* Drops a caller that equals the innermost address less one: an artefact of signal handlers. */
void address_profile_drop_doubled_leaves(struct address_profile *a);
/* Returns the profile, owned by the caller, and frees all else. */
struct profile *address_profile_finish(struct address_profile *a);
/* Frees all, without making a profile. */
void address_profile_abandon(struct address_profile *a);
