#include "analysis/memory/access_counts.h"

#include <linux/perf_event.h>

const char *const access_count_keys[ACCESS_COUNTS_NR] = {
#define COUNT(id, key) [ACCESS_##id] = key,
#include "analysis/memory/access_counts.def"
#undef COUNT
};

typedef union perf_mem_data_src source;

/* Data from another node, of unknown level. With hops: another core of this node (POWER). */
static bool is_remote(source s)
{
	return s.mem_remote && !s.mem_hops;
}

static void take_memory(struct access_counts *c, source s, enum access_count which)
{
	c->n[which]++;
	c->n[s.mem_snoop & PERF_MEM_SNOOP_HIT ? ACCESS_LOADS_SHARED : ACCESS_LOADS_EXCLUSIVE]++;
}

/* Caches shared by the cores of a node: their lines may be a core's own, modified. */
static void take_shared_cache(struct access_counts *c, source s, enum access_count clean)
{
	c->n[s.mem_snoop & PERF_MEM_SNOOP_HITM ? ACCESS_LOCAL_MODIFIED : clean]++;
	c->n[ACCESS_LOCAL_PEER] += !!(s.mem_snoopx & PERF_MEM_SNOOPX_PEER);
}

static void take_hit(struct access_counts *c, source s)
{
	uint64_t level = s.mem_lvl;
	c->n[ACCESS_LOADS_UNCACHED] += !!(level & PERF_MEM_LVL_UNC);
	c->n[ACCESS_LOADS_IO] += !!(level & PERF_MEM_LVL_IO);
	c->n[ACCESS_FILL_BUFFER] += !!(level & PERF_MEM_LVL_LFB);
	c->n[ACCESS_L1] += !!(level & PERF_MEM_LVL_L1);
	if (level & PERF_MEM_LVL_L2)
		take_shared_cache(c, s, ACCESS_L2);
	if (level & PERF_MEM_LVL_L3)
		take_shared_cache(c, s, ACCESS_LLC);
	if (level & PERF_MEM_LVL_LOC_RAM)
		take_memory(c, s, ACCESS_LOCAL_MEMORY);
	if (level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2) || is_remote(s))
		take_memory(c, s, ACCESS_REMOTE_MEMORY);
}

static void take_remote(struct access_counts *c, source s)
{
	if (s.mem_snoop & PERF_MEM_SNOOP_HIT) {
		c->n[ACCESS_REMOTE_HIT]++;
	} else if (s.mem_snoop & PERF_MEM_SNOOP_HITM) {
		c->n[ACCESS_REMOTE_MODIFIED]++;
	} else if (s.mem_snoopx & PERF_MEM_SNOOPX_PEER) {
		c->n[ACCESS_REMOTE_HIT]++;
		c->n[ACCESS_REMOTE_PEER]++;
	}
}

static void take_load(struct access_counts *c, source s)
{
	if (s.mem_lvl & PERF_MEM_LVL_HIT)
		take_hit(c, s);
	if (s.mem_lvl & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) || is_remote(s))
		take_remote(c, s);
	c->n[ACCESS_LOADS_MISSED] += !!(s.mem_lvl & PERF_MEM_LVL_MISS);
}

static void take_store(struct access_counts *c, source s)
{
	uint64_t level = s.mem_lvl;
	if (level & PERF_MEM_LVL_HIT) {
		c->n[ACCESS_STORES_UNCACHED] += !!(level & PERF_MEM_LVL_UNC);
		c->n[ACCESS_STORES_L1_HIT] += !!(level & PERF_MEM_LVL_L1);
	}
	if (level & PERF_MEM_LVL_MISS)
		c->n[ACCESS_STORES_L1_MISS] += !!(level & PERF_MEM_LVL_L1);
	c->n[ACCESS_STORES_UNKNOWN] += !!(level & PERF_MEM_LVL_NA);
}

void access_counts_take(struct access_counts *c, uint64_t data_src, uint64_t address, bool is_mapped)
{
	source s = { .val = data_src };
	bool is_load = s.mem_op & PERF_MEM_OP_LOAD, is_store = !is_load && s.mem_op & PERF_MEM_OP_STORE;
	c->n[ACCESS_RECORDS]++;
	c->n[ACCESS_LOCKED] += !!(s.mem_lock & PERF_MEM_LOCK_LOCKED);
	c->n[ACCESS_BLOCKED_BY_DATA] += !!(s.mem_blk & PERF_MEM_BLK_DATA);
	c->n[ACCESS_BLOCKED_BY_ADDRESS] += !!(s.mem_blk & PERF_MEM_BLK_ADDR);
	if (!is_load && !is_store) {
		c->n[ACCESS_NEITHER]++;
		return;
	}
	c->n[is_load ? ACCESS_LOADS : ACCESS_STORES]++;
	if (!address) {
		c->n[is_load ? ACCESS_LOADS_WITHOUT_ADDRESS : ACCESS_STORES_WITHOUT_ADDRESS]++;
		return;
	}
	if (is_load)
		take_load(c, s);
	else
		take_store(c, s);
	c->n[ACCESS_UNMAPPED] += !is_mapped;
}

void access_counts_add(struct access_counts *sum, const struct access_counts *more)
{
	for (unsigned i = 0; i < ACCESS_COUNTS_NR; i++)
		sum->n[i] += more->n[i];
}

uint64_t access_llc_misses(const struct access_counts *c)
{
	return c->n[ACCESS_LOCAL_MEMORY] + c->n[ACCESS_REMOTE_MEMORY] + c->n[ACCESS_REMOTE_HIT] + c->n[ACCESS_REMOTE_MODIFIED];
}

uint64_t access_classified_loads(const struct access_counts *c)
{
	return access_llc_misses(c) + c->n[ACCESS_FILL_BUFFER] + c->n[ACCESS_L1] + c->n[ACCESS_L2] + c->n[ACCESS_LLC] +
	       c->n[ACCESS_LOCAL_MODIFIED];
}

uint64_t access_classified(const struct access_counts *c)
{
	return access_classified_loads(c) + c->n[ACCESS_STORES_L1_HIT] + c->n[ACCESS_STORES_L1_MISS] + c->n[ACCESS_STORES_UNKNOWN];
}
