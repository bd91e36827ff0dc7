#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SHORT      32
#define DIGIT_BITS 11 /* 2048 counters stay in the first-level cache */

static void insertion(struct sort_pair *pairs, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_pair p = pairs[i];
		size_t j = i;
		for (; j && pairs[j - 1].key > p.key; j--)
			pairs[j] = pairs[j - 1];
		pairs[j] = p;
	}
}

/* One stable pass by the bits from shift on; false where all are alike and nothing was moved. */
static bool pass(const struct sort_pair *from, struct sort_pair *to, size_t n, unsigned shift, unsigned bits)
{
	size_t counts[1 << DIGIT_BITS];
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	/* clearing all of them would take longer than the pass over a short list */
	memset(counts, 0, ((size_t)mask + 1) * sizeof(*counts));
	for (size_t i = 0; i < n; i++)
		counts[from[i].key >> shift & mask]++;
	if (counts[from[0].key >> shift & mask] == n)
		return false;
	size_t sum = 0;
	for (size_t i = 0; i <= mask; i++) {
		size_t count = counts[i];
		counts[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[counts[from[i].key >> shift & mask]++] = from[i];
	return true;
}

void sort_pairs(struct sort_pair *pairs, size_t n)
{
	if (n <= SHORT) {
		insertion(pairs, n);
		return;
	}
	uint64_t differ = 0;
	bool sorted = true;
	for (size_t i = 1; i < n; i++) {
		differ |= pairs[i].key ^ pairs[0].key;
		sorted &= pairs[i - 1].key <= pairs[i].key;
	}
	if (sorted)
		return;
	/* Only the bits that differ, in digits of equal size; small for small n, where counters cost more than passes.
	 */
	unsigned low = (unsigned)__builtin_ctzll(differ), high = 64 - (unsigned)__builtin_clzll(differ);
	unsigned widest = n < 4096 ? 8 : DIGIT_BITS;
	unsigned passes = (high - low + widest - 1) / widest;
	unsigned bits = (high - low + passes - 1) / passes;
	struct sort_pair *other = xreallocarray(NULL, n, sizeof(*other));
	struct sort_pair *from = pairs, *to = other;
	for (unsigned shift = low; shift < high; shift += bits)
		if (pass(from, to, n, shift, bits)) {
			struct sort_pair *swap = from;
			from = to;
			to = swap;
		}
	if (from != pairs)
		memcpy(pairs, from, n * sizeof(*pairs));
	free(other);
}
