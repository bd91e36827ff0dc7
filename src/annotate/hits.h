/*
 * What a profile counted at each address, function by function: what is laid beside their instructions.
 *
 * The profile must distinguish frames by address (resolve_options.by_address) and is borrowed. A sample counts for the
 * function that its innermost frame is in by the symbol table; inlined functions are parts of it. Immutable once made.
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
	uint64_t addr; /* in the mapping's space */
	uint64_t samples, value;
};

struct hits_function {
	function_id function;
	size_t first, nr; /* in hits.all */
	uint64_t samples, value; /* of all events */
};

struct hits {
	const struct profile *profile;
	VEC(struct hit) all; /* by function, address and event; each once */
	VEC(struct hits_function) functions;
};

/* Only functions for which is_selected() is true (NULL: all); samples without a function are left out. */
void hits_create(const struct profile *p, bool (*is_selected)(void *ctx, const struct profile_function *f), void *ctx,
		 struct hits *ret);
void hits_deinit(struct hits *h);
/* What a function cost by one event. */
struct listing_value hits_of(const struct hits *h, const struct hits_function *f, uint32_t event);
/*
 * Functions by what they cost, the costliest first: by the first of these events, where that is equal by the next; by name
 * in the end. Those that none of the events hit are left out; ids are indexes in h->functions. The array is the caller's.
 */
uint32_t *hits_rank(const struct hits *h, const uint32_t *events, size_t events_nr, size_t *ret_nr);
/* Adds them to a listing whose event i is events[i]. Returns how many samples hit no instruction of it. */
uint64_t hits_apply(const struct hits *h, const struct hits_function *f, const uint32_t *events, size_t events_nr,
		    struct listing *l);
