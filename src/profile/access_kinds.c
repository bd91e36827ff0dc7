#include "profile/access_kinds.h"

#include <linux/perf_event.h>
#include <stddef.h>

#ifndef PERF_MEM_LVLNUM_L2_MHB /* Linux 6.11 */
#define PERF_MEM_LVLNUM_L2_MHB 0x05
#define PERF_MEM_LVLNUM_MSC    0x06
#endif
#ifndef PERF_MEM_LVLNUM_UNC /* Linux 6.3 */
#define PERF_MEM_LVLNUM_UNC 0x08
#endif
#ifndef PERF_MEM_LVLNUM_CXL /* Linux 6.1 */
#define PERF_MEM_LVLNUM_CXL 0x09
#endif

/* The last kind of each division is that of all other accesses. */
static const char *const ops[] = { "Load", "Store", "Ld+St", "Pfetch", "Exec", "Other" };
static const char *const caches[] = { "L1", "L2", "L3", "L4", "L1-buf", "L2-buf", "Other" };
static const char *const memories[] = { "RAM", "MSC", "Uncach", "CXL", "PMEM", "Other" };
static const char *const snoops[] = { "Hit", "HitM", "Miss", "Other" };
static const char *const tlbs[] = { "L1-Hit", "L2-Hit", "L?-Hit", "Miss", "Other" };

#define COUNT(a) (unsigned)(sizeof(a) / sizeof(*(a)))
#define FIRST_CACHE  COUNT(ops)
#define FIRST_MEMORY (FIRST_CACHE + COUNT(caches))
#define FIRST_SNOOP  (FIRST_MEMORY + COUNT(memories))
#define FIRST_TLB    (FIRST_SNOOP + COUNT(snoops))

const struct access_kinds access_kinds[ACCESS_DIVISIONS] = {
	[ACCESS_OP] = { 0, COUNT(ops), ops },
	[ACCESS_CACHE] = { FIRST_CACHE, COUNT(caches), caches },
	[ACCESS_MEMORY] = { FIRST_MEMORY, COUNT(memories), memories },
	[ACCESS_SNOOP] = { FIRST_SNOOP, COUNT(snoops), snoops },
	[ACCESS_DTLB] = { FIRST_TLB, COUNT(tlbs), tlbs },
};
_Static_assert(FIRST_TLB + COUNT(tlbs) == ACCESS_KINDS, "each kind has a number");

static uint64_t bits(uint64_t word, unsigned shift, unsigned n)
{
	return word >> shift & ((UINT64_C(1) << n) - 1);
}

static unsigned op_of(uint64_t op)
{
	switch (op) {
	case PERF_MEM_OP_LOAD: return 0;
	case PERF_MEM_OP_STORE: return 1;
	case PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE: return 2;
	default: return op & PERF_MEM_OP_PFETCH ? 3 : op & PERF_MEM_OP_EXEC ? 4 : 5;
	}
}

/* Only by the level's number: older words have none. */
static unsigned cache_of(uint64_t level)
{
	switch (level) {
	case PERF_MEM_LVLNUM_L1: return 0;
	case PERF_MEM_LVLNUM_L2: return 1;
	case PERF_MEM_LVLNUM_L3: return 2;
	case PERF_MEM_LVLNUM_L4: return 3;
	case PERF_MEM_LVLNUM_LFB: return 4;
	case PERF_MEM_LVLNUM_L2_MHB: return 5;
	default: return 6;
	}
}

static unsigned memory_of(uint64_t level)
{
	switch (level) {
	case PERF_MEM_LVLNUM_RAM: return 0;
	case PERF_MEM_LVLNUM_MSC: return 1;
	case PERF_MEM_LVLNUM_UNC: return 2;
	case PERF_MEM_LVLNUM_CXL: return 3;
	case PERF_MEM_LVLNUM_PMEM: return 4;
	default: return 5;
	}
}

static unsigned snoop_of(uint64_t snoop)
{
	switch (snoop) {
	case PERF_MEM_SNOOP_HIT: return 0;
	case PERF_MEM_SNOOP_HITM: return 1;
	case PERF_MEM_SNOOP_MISS: return 2;
	default: return 3;
	}
}

static unsigned tlb_of(uint64_t tlb)
{
	switch (tlb) {
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1: return 0;
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L2: return 1;
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2: return 2;
	default: return tlb & PERF_MEM_TLB_MISS ? 3 : 4;
	}
}

void access_kinds_of(uint64_t word, unsigned ret[ACCESS_DIVISIONS])
{
	uint64_t level = bits(word, PERF_MEM_LVLNUM_SHIFT, 4);
	ret[ACCESS_OP] = op_of(bits(word, PERF_MEM_OP_SHIFT, 5));
	ret[ACCESS_CACHE] = access_kinds[ACCESS_CACHE].first + cache_of(level);
	ret[ACCESS_MEMORY] = access_kinds[ACCESS_MEMORY].first + memory_of(level);
	ret[ACCESS_SNOOP] = access_kinds[ACCESS_SNOOP].first + snoop_of(bits(word, PERF_MEM_SNOOP_SHIFT, 5));
	ret[ACCESS_DTLB] = access_kinds[ACCESS_DTLB].first + tlb_of(bits(word, PERF_MEM_TLB_SHIFT, 7));
}
