/*
 * A profile being made of bare addresses: what the formats before profile.proto hold, whose mappings come last.
 *
 * Stacks are kept as addresses until the mappings are known; address_profile_finish() then makes frames of them. Belongs
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
	struct profile *p; /* events are to be declared before the end */
	VEC(uint64_t) addresses;
	VEC(struct address_stack) stacks;
	VEC(struct profile_mapping) mappings; /* as the lines describe them, not yet in the profile */
	VEC(struct address_name) names;       /* "name=value" lines between those of mappings: $name stands for value */
	bool has_places;      /* `places` says what addresses stand for; they mean nothing else */
	struct u64map places; /* by address: frame_id */
};

void address_profile_init(struct address_profile *a);
/* Begins a stack; addresses pushed then are its own. */
struct address_stack *address_profile_stack(struct address_profile *a);
void address_profile_push(struct address_profile *a, uint64_t address);
/* A line of the table of mappings, after what a logger may have put before it; what is not such a line is skipped. */
void address_profile_map_line(struct address_profile *a, const char *line, size_t n);
/* Drops a caller that is the innermost address itself, less one: signal handlers leave it. */
void address_profile_drop_doubled_leaves(struct address_profile *a);
/* The profile, the caller's; what made it is freed. */
struct profile *address_profile_finish(struct address_profile *a);
/* Frees it where there will be no profile. */
void address_profile_abandon(struct address_profile *a);
