#include "alloc/mappings.h"

#include <string.h>

#include "alloc/confined.h"

#define MAPPINGS_MOST 65536 /* vm.max_map_count is 65530 by default */
#define YIELDS	      20000

static struct mapping all[MAPPINGS_MOST]; /* by address; they do not overlap */
static uint32_t nr;
static uint32_t locked;

/* A lock without a holder, as in a child of fork(), only delays the others. */
static void lock(void)
{
	for (unsigned tries = 0; __atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE) && tries < YIELDS; tries++)
		confined_yield();
}

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

/* The first mapping that ends after an address. */
static uint32_t find(uint64_t address)
{
	uint32_t low = 0, high = nr;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (all[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(uint32_t at, const struct mapping *m)
{
	if (nr == MAPPINGS_MOST)
		return false;
	memmove(&all[at + 1], &all[at], (nr - at) * sizeof(*all));
	all[at] = *m;
	nr++;
	return true;
}

bool mappings_add(uint64_t start, uint64_t end, const struct alloc_slot *slot)
{
	lock();
	bool fits = insert(find(start), &(struct mapping){ start, end, *slot, true });
	unlock();
	return fits;
}

/*
 * Removes the part of the mapping at an index that is within the range, which is returned; the rest on both sides stays. True:
 * nothing is left.
 */
static bool cut(uint32_t at, uint64_t start, uint64_t end, struct mapping *ret)
{
	struct mapping *m = &all[at];
	*ret = *m;
	ret->start = m->start > start ? m->start : start;
	ret->end = m->end < end ? m->end : end;
	bool has_before = m->start < ret->start, has_after = m->end > ret->end;
	/* The object is released with its last part. */
	ret->is_first = m->is_first && !has_before && !has_after;
	if (!has_before && !has_after)
		return true;
	struct mapping after = { ret->end, m->end, m->slot, m->is_first && !has_before };
	if (!has_before)
		*m = after;
	else
		m->end = ret->start;
	if (has_before && has_after)
		insert(at + 1, &after);
	return false;
}

unsigned mappings_take(uint64_t start, uint64_t end, void (*release)(const struct mapping *part))
{
	struct mapping part;
	unsigned parts = 0;
	lock();
	for (uint32_t at = find(start); at < nr && all[at].start < end; parts++) {
		if (!cut(at, start, end, &part))
			at++;
		else
			memmove(&all[at], &all[at + 1], (--nr - at) * sizeof(*all));
		release(&part);
	}
	unlock();
	return parts;
}

void mappings_forget(void)
{
	nr = 0;
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}
