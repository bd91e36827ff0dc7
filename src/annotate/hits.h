/*
 * Counts of a profile at each address, by function: the costs of instructions in listings.
 *
 * The profile must distinguish frames by address (resolve_options.by_address) and is borrowed. A sample counts for the function of
 * its innermost frame by the symbol table, which includes inlined functions. Immutable once made.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "profile/profile.h"
#include "table/listing.h"

struct hit {
	function_id function;
	uint32_t event;
	uint64_t addr; /* in the mapping's address space */
	uint64_t samples, value;
};

struct hits_function {
	function_id function;
	size_t first, nr; /* range in hits.all */
	uint64_t samples, value; /* of all events */
};

struct hits {
	const struct profile *profile;
	VEC(struct hit) all; /* sorted by function, address and event; unique */
	VEC(struct hits_function) functions;
};

/* Only functions for which is_selected() returns true (NULL: all); samples without a function are left out. */
void hits_create(const struct profile *p, bool (*is_selected)(void *ctx, const struct profile_function *f), void *ctx,
		 struct hits *ret);
void hits_deinit(struct hits *h);
/* The cost of a function by one event. */
struct listing_value hits_of(const struct hits *h, const struct hits_function *f, uint32_t event);
/*
 * Functions by cost, highest first: by the first of these events, if equal by the next; finally by name. Functions without hits by these
 * events are left out; IDs are indexes in h->functions. The array is owned by the caller.
 */
uint32_t *hits_rank(const struct hits *h, const uint32_t *events, size_t events_nr, size_t *ret_nr);
/* Adds them to a listing whose event i is events[i]. Returns the number of samples outside of its instructions. */
uint64_t hits_apply(const struct hits *h, const struct hits_function *f, const uint32_t *events, size_t events_nr,
		    struct listing *l);
