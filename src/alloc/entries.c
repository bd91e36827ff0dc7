#include "alloc/entries.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/confined.h"
#include "alloc/region.h"

#define INDEX_BITS 21
#define SPINS 64
#define YIELDS 20000

/* By hash, open addressing: 1 + the entry's number. Twice the maximum number of entries. */
static uint32_t index_of[1 << INDEX_BITS];

void entries_forget(void)
{
	int saved = errno;
	const uintptr_t start = (uintptr_t)index_of, end = start + sizeof(index_of), page = 4096;
	const uintptr_t first = (start + page - 1) & ~(page - 1), last = end & ~(page - 1);
	memset(index_of, 0, first - start);
	memset((void *)last, 0, end - last);
	/* Private anonymous pages read as zeros afterwards. */
	if (madvise((void *)first, last - first, MADV_DONTNEED))
		memset((void *)first, 0, last - first);
	errno = saved;
}

static struct alloc_entry *entries(void)
{
	return region_table(&region->entries);
}

static uint32_t add(uint64_t hash, uint8_t size_class, const uint64_t *frames, unsigned depth)
{
	uint32_t n = region_claim(&region->entries, 1), first = n == UINT32_MAX ? n : region_claim(&region->frames, depth);
	if (first == UINT32_MAX)
		return UINT32_MAX;
	struct alloc_entry *e = &entries()[n];
	memcpy((uint64_t *)region_table(&region->frames) + first, frames, depth * sizeof(*frames));
	e->hash = hash;
	e->frames = first;
	e->depth = (uint16_t)depth;
	e->size_class = size_class;
	e->modules = __atomic_load_n(&region->modules.nr, __ATOMIC_ACQUIRE);
	__atomic_store_n(&e->state, ALLOC_ENTRY_WHOLE, __ATOMIC_RELEASE);
	return n;
}

uint32_t entries_find(uint64_t hash, uint8_t size_class, const uint64_t *frames, unsigned depth)
{
	hash = (hash ^ size_class) * 0x9e3779b97f4a7c15ull;
	uint32_t made = UINT32_MAX;
	for (uint64_t at = hash >> (64 - INDEX_BITS);; at = (at + 1) & ((1 << INDEX_BITS) - 1)) {
		uint32_t found = __atomic_load_n(&index_of[at], __ATOMIC_ACQUIRE);
		if (found) {
			if (entries()[found - 1].hash == hash)
				return found - 1;
			continue;
		}
		if (made == UINT32_MAX)
			made = add(hash, size_class, frames, depth);
		if (made == UINT32_MAX)
			return made;
		/* Another thread may have added the same entry: then this thread's new one stays unused. */
		if (__atomic_compare_exchange_n(&index_of[at], &found, made + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
		if (entries()[found - 1].hash == hash)
			return found - 1;
	}
}

struct alloc_entry *entries_get(uint32_t entry)
{
	return &entries()[entry];
}

struct alloc_entry *entries_lock(uint32_t entry)
{
	struct alloc_entry *e = &entries()[entry];
	for (unsigned tries = 0; __atomic_exchange_n(&e->lock, 1, __ATOMIC_ACQUIRE) && tries < YIELDS; tries++)
		if (tries >= SPINS)
			confined_yield();
	return e;
}

void entries_unlock(struct alloc_entry *e)
{
	__atomic_store_n(&e->lock, 0, __ATOMIC_RELEASE);
}
