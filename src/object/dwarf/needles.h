/*
 * Searches for several short byte strings at once: two bytes of each are compared at many places at a time.
 *
 * Thread-safe once they are added.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEEDLES_MAX 32

typedef uint8_t needle_block __attribute__((vector_size(32)));

struct needle {
	const uint8_t *bytes;
	size_t n, lead;
};

struct needles {
	struct needle list[NEEDLES_MAX];
	needle_block first[NEEDLES_MAX], second[NEEDLES_MAX]; /* of each: the two bytes, repeated */
	unsigned nr;
};

/*
 * The bytes are borrowed. lead: index of the two bytes that are compared first: rare ones make the search fast. False: too many needles,
 * or fewer than two bytes from lead on.
 */
bool needles_add(struct needles *s, const void *bytes, size_t n, size_t lead);
/*
 * The start of the next match whose lead is at `from` or after it, in order of leads; SIZE_MAX: none. *ret_next: `from` for the next
 * search.
 */
size_t needles_find(const struct needles *s, const uint8_t *at, size_t n, size_t from, size_t *ret_next);
