/* Each class of accesses, by words as the manual page of perf_event_open(2) has them. */
#include "base/testing.h"

#include <linux/perf_event.h>

#include "analysis/memory/access_counts.h"

#define LEVEL(names) ((uint64_t)(names) << PERF_MEM_LVL_SHIFT)
#define LOAD         ((uint64_t)PERF_MEM_OP_LOAD)
#define STORE        ((uint64_t)PERF_MEM_OP_STORE)
#define HIT          LEVEL(PERF_MEM_LVL_HIT)
#define REMOTE       PERF_MEM_S(REMOTE, REMOTE)
#define HITM         PERF_MEM_S(SNOOP, HITM)
#define SNOOP_HIT    PERF_MEM_S(SNOOP, HIT)
#define PEER         PERF_MEM_S(SNOOPX, PEER)
#define HOP          ((uint64_t)PERF_MEM_HOPS_0 << PERF_MEM_HOPS_SHIFT)
#define END          ACCESS_COUNTS_NR

/* The classes of one access besides records; END ends them. A class may be named twice: it counts once. */
static void expect(uint64_t word, uint64_t address, const enum access_count *classes)
{
	struct access_counts c = {}, expected = { .n[ACCESS_RECORDS] = 1 };
	for (; *classes != END; classes++)
		expected.n[*classes] = 1;
	access_counts_take(&c, word, address, true);
	for (unsigned i = 0; i < ACCESS_COUNTS_NR; i++)
		if (c.n[i] != expected.n[i])
			fail_msg("%#llx: %s is %llu", (unsigned long long)word, access_count_keys[i], (unsigned long long)c.n[i]);
}
#define EXPECT(word, ...) expect((word), 64, (const enum access_count[]){ __VA_ARGS__, END })

static void loads(void **state)
{
	(void)state;
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L1), ACCESS_LOADS, ACCESS_L1);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_LFB), ACCESS_LOADS, ACCESS_FILL_BUFFER);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L2), ACCESS_LOADS, ACCESS_L2);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L2) | HITM, ACCESS_LOADS, ACCESS_LOCAL_MODIFIED);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L3), ACCESS_LOADS, ACCESS_LLC);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L3) | HITM, ACCESS_LOADS, ACCESS_LOCAL_MODIFIED);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_L3) | PEER, ACCESS_LOADS, ACCESS_LLC, ACCESS_LOCAL_PEER);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_LOC_RAM), ACCESS_LOADS, ACCESS_LOCAL_MEMORY, ACCESS_LOADS_EXCLUSIVE);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_REM_RAM1) | SNOOP_HIT, ACCESS_LOADS, ACCESS_REMOTE_MEMORY, ACCESS_LOADS_SHARED);
	EXPECT(LOAD | LEVEL(PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3), ACCESS_LOADS, ACCESS_LOADS_MISSED);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_UNC), ACCESS_LOADS, ACCESS_LOADS_UNCACHED);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_IO), ACCESS_LOADS, ACCESS_LOADS_IO);
}

/* PEBS says "remote" of what another node's cache answered, and is counted as its memory, too. */
static void loads_of_other_nodes(void **state)
{
	(void)state;
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_REM_CCE1) | HITM, ACCESS_LOADS, ACCESS_REMOTE_MODIFIED);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_REM_CCE2) | SNOOP_HIT, ACCESS_LOADS, ACCESS_REMOTE_HIT);
	EXPECT(LOAD | HIT | LEVEL(PERF_MEM_LVL_REM_CCE1) | PEER, ACCESS_LOADS, ACCESS_REMOTE_HIT, ACCESS_REMOTE_PEER);
	EXPECT(LOAD | HIT | REMOTE | HITM, ACCESS_LOADS, ACCESS_REMOTE_MODIFIED, ACCESS_REMOTE_MEMORY, ACCESS_LOADS_EXCLUSIVE);
	/* POWER: another core of this node. */
	EXPECT(LOAD | HIT | REMOTE | HITM | HOP | LEVEL(PERF_MEM_LVL_L2), ACCESS_LOADS, ACCESS_LOCAL_MODIFIED);
}

static void stores(void **state)
{
	(void)state;
	EXPECT(STORE | HIT | LEVEL(PERF_MEM_LVL_L1), ACCESS_STORES, ACCESS_STORES_L1_HIT);
	EXPECT(STORE | LEVEL(PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1), ACCESS_STORES, ACCESS_STORES_L1_MISS);
	EXPECT(STORE | LEVEL(PERF_MEM_LVL_NA), ACCESS_STORES, ACCESS_STORES_UNKNOWN);
	EXPECT(STORE | PERF_MEM_S(LOCK, LOCKED) | PERF_MEM_S(BLK, DATA) | PERF_MEM_S(BLK, ADDR), ACCESS_STORES, ACCESS_LOCKED,
	       ACCESS_BLOCKED_BY_DATA, ACCESS_BLOCKED_BY_ADDRESS);
}

static void what_cannot_be_placed(void **state)
{
	(void)state;
	struct access_counts c = {};
	expect(LOAD | HIT | LEVEL(PERF_MEM_LVL_L1), 0, (const enum access_count[]){ ACCESS_LOADS, ACCESS_LOADS_WITHOUT_ADDRESS, END });
	expect(STORE, 0, (const enum access_count[]){ ACCESS_STORES, ACCESS_STORES_WITHOUT_ADDRESS, END });
	EXPECT(PERF_MEM_OP_PFETCH, ACCESS_NEITHER);
	access_counts_take(&c, LOAD | HIT | LEVEL(PERF_MEM_LVL_L1), 64, false);
	assert_int_equal(c.n[ACCESS_UNMAPPED], 1);
	assert_int_equal(c.n[ACCESS_L1], 1);
}

static void sums(void **state)
{
	(void)state;
	struct access_counts c = {}, sum = {};
	access_counts_take(&c, LOAD | HIT | LEVEL(PERF_MEM_LVL_REM_CCE1) | HITM, 64, true);
	access_counts_take(&c, LOAD | HIT | LEVEL(PERF_MEM_LVL_L3) | HITM, 64, true);
	access_counts_take(&c, LOAD | HIT | LEVEL(PERF_MEM_LVL_LOC_RAM), 64, true);
	access_counts_take(&c, STORE | HIT | LEVEL(PERF_MEM_LVL_L1), 64, true);
	assert_int_equal(access_modified(&c), 2);
	assert_int_equal(access_llc_misses(&c), 2);
	assert_int_equal(access_classified_loads(&c), 3);
	assert_int_equal(access_classified(&c), 4);
	access_counts_add(&sum, &c);
	access_counts_add(&sum, &c);
	assert_int_equal(sum.n[ACCESS_RECORDS], 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads), cmocka_unit_test(loads_of_other_nodes), cmocka_unit_test(stores),
		cmocka_unit_test(what_cannot_be_placed), cmocka_unit_test(sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
