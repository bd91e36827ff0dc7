#include "alloc/blocks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/confined.h"
#include "alloc/region.h"

#define ADDRESS_BITS 47
#define LEAF_BITS 26
#define ROOTS ((size_t)1 << (ADDRESS_BITS - LEAF_BITS))
#define LEAF_BYTES (ALLOC_LEAF_SPAN / ALLOC_GRANULE * sizeof(struct alloc_slot))
#define FILTER_STUCK 255

uint8_t blocks_filter[1 << FILTER_BITS];

/* For addresses that are multiples of 16, and for the others. */
static struct alloc_slot *leaves[2][ROOTS];
/* The same as a list, for children. */
static struct alloc_leaf made[ALLOC_LEAVES];
static uint32_t made_nr;

void blocks_pass_all(void)
{
	memset(blocks_filter, FILTER_STUCK, sizeof(blocks_filter));
}

void blocks_pass(const void *p)
{
	__atomic_store_n(blocks_filter_of(p), FILTER_STUCK, __ATOMIC_RELAXED);
}

/* Counts up and down; a saturated count stays. */
static void filter_count(const void *p, int by)
{
	uint8_t *count = blocks_filter_of(p), was = __atomic_load_n(count, __ATOMIC_RELAXED);
	do {
		if (was == FILTER_STUCK)
			return;
	} while (!__atomic_compare_exchange_n(count, &was, (uint8_t)(was + by), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void announce(const struct alloc_leaf *leaf)
{
	uint32_t n = region_claim(&region->leaves, 1);
	if (n != UINT32_MAX)
		((struct alloc_leaf *)region_table(&region->leaves))[n] = *leaf;
}

void blocks_clear(void)
{
	for (uint32_t i = 0; i < made_nr && i < ALLOC_LEAVES; i++) {
		madvise((void *)(uintptr_t)made[i].at, made[i].bytes, MADV_DONTNEED);
		announce(&made[i]);
	}
}

static struct alloc_slot *add_leaf(struct alloc_slot **root, uintptr_t address)
{
	int saved = errno;
	struct alloc_slot *expected = NULL,
			  *leaf = mmap(NULL, LEAF_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (leaf == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	if (!confined.calls) {
		madvise(leaf, LEAF_BYTES, MADV_NOHUGEPAGE);
		madvise(leaf, LEAF_BYTES, MADV_DONTDUMP);
	}
	if (!__atomic_compare_exchange_n(root, &expected, leaf, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(leaf, LEAF_BYTES);
		errno = saved;
		return expected;
	}
	uint32_t n = __atomic_fetch_add(&made_nr, 1, __ATOMIC_RELAXED);
	if (n < ALLOC_LEAVES) {
		made[n] = (struct alloc_leaf){ (address & ~(ALLOC_LEAF_SPAN - 1)) + (address & 8), (uint64_t)(uintptr_t)leaf, LEAF_BYTES };
		announce(&made[n]);
	}
	errno = saved;
	return leaf;
}

static struct alloc_slot **root_of(uintptr_t address)
{
	return address >> ADDRESS_BITS ? NULL : &leaves[address >> 3 & 1][address >> LEAF_BITS];
}

static struct alloc_slot *slot_in(struct alloc_slot *leaf, uintptr_t address)
{
	return &leaf[(address & (ALLOC_LEAF_SPAN - 1)) / ALLOC_GRANULE];
}

struct alloc_slot *blocks_slot(const void *p)
{
	uintptr_t address = (uintptr_t)p;
	struct alloc_slot **root = root_of(address), *leaf = root ? __atomic_load_n(root, __ATOMIC_ACQUIRE) : NULL;
	if (!leaf && (!root || !(leaf = add_leaf(root, address))))
		return NULL;
	__builtin_prefetch(slot_in(leaf, address), 1);
	return slot_in(leaf, address);
}

void blocks_put(const void *p, struct alloc_slot *to, const struct alloc_slot *slot)
{
	*to = *slot;
	filter_count(p, 1);
}

bool blocks_take(const void *p, struct alloc_slot *ret)
{
	uintptr_t address = (uintptr_t)p;
	struct alloc_slot **root = root_of(address), *leaf = root ? __atomic_load_n(root, __ATOMIC_ACQUIRE) : NULL;
	struct alloc_slot *slot = leaf ? slot_in(leaf, address) : NULL;
	if (!slot || !slot->entry)
		return false;
	*ret = *slot;
	slot->entry = 0;
	filter_count(p, -1);
	return true;
}

static struct alloc_slot *slot_at(uintptr_t address)
{
	struct alloc_slot **root = root_of(address), *leaf = root ? __atomic_load_n(root, __ATOMIC_ACQUIRE) : NULL;
	return leaf ? slot_in(leaf, address) : NULL;
}

static bool has_leaf(uintptr_t address)
{
	return leaves[0][address >> LEAF_BITS] || leaves[1][address >> LEAF_BITS];
}

/* Searches backwards for a block; addresses without a leaf are skipped at once. */
struct alloc_slot *blocks_find(const void *inside, uintptr_t *ret_start)
{
	uintptr_t address = (uintptr_t)inside, at = address & ~(uintptr_t)7;
	while (at && !(address >> ADDRESS_BITS)) {
		struct alloc_slot *slot = slot_at(at);
		if (slot && slot->entry) {
			*ret_start = at;
			return address == at || address - at < slot->size ? slot : NULL;
		}
		at = has_leaf(at) ? at - 8 : (at & ~(uintptr_t)(ALLOC_LEAF_SPAN - 1)) - 8;
		if (at > address)
			break;
	}
	return NULL;
}
