/*
 * Short byte strings that are searched for in a long one, all at once: two bytes of each are compared with many places at a time.
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
 * The bytes are borrowed. lead: where the two of them are that are compared first: those that occur least make the search fast. False
 * where there are too many already, or fewer than two bytes after lead.
 */
bool needles_add(struct needles *s, const void *bytes, size_t n, size_t lead);
/*
 * Where one of them begins whose lead lies at `from` or after it, in order of their leads; SIZE_MAX: nowhere. *ret_next: from where on
 * the next is to be searched for.
 */
size_t needles_find(const struct needles *s, const uint8_t *at, size_t n, size_t from, size_t *ret_next);
