/* Words put together by the macros of perf_event.h; the texts are those that perf script -F data_src prints for them. */
#include "record/data_src.h"

#include <linux/perf_event.h>

#include "base/testing.h"

#define S(what, value) PERF_MEM_S(what, value)

static void assert_text(uint64_t word, void (*add)(struct strbuf *, uint64_t), const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	add(&text, word);
	assert_string_equal(strbuf_str(&text), expected);
}

static void the_whole_word(void **state)
{
	assert_text(S(OP, LOAD) | S(LVL, HIT) | S(LVL, L1) | S(SNOOP, NONE) | S(TLB, HIT) | S(TLB, L1) | S(TLB, L2), data_src_text,
		    "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A");
	assert_text(S(OP, STORE) | S(LVL, MISS) | S(LVL, LOC_RAM) | S(SNOOP, HIT) | S(SNOOP, HITM) | S(LOCK, LOCKED) | S(TLB, NA),
		    data_src_text, "|OP STORE|LVL Local RAM miss|SNP Hit or HitM|TLB N/A|LCK Yes|BLK  N/A");
	assert_text(0, data_src_text, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A");
}

/* Newer processors give the number of the level, and how far away it is. */
static void levels_by_number(void **state)
{
	assert_text(S(LVLNUM, L3) | S(LVL, HIT), data_src_level, "L3 hit");
	assert_text(S(LVL, L2) | S(LVLNUM, L2), data_src_level, "L2 or L2");
	assert_text(S(REMOTE, REMOTE) | S(LVLNUM, RAM) | S(LVL, HIT), data_src_level, "Remote RAM hit");
	assert_text(S(REMOTE, REMOTE) | S(HOPS, 0) | S(LVLNUM, ANY_CACHE), data_src_level, "Remote core, same node Any cache");
	assert_text(S(LVL, NA), data_src_level, "N/A");
}

static void snoops_and_blocks(void **state)
{
	assert_text(S(SNOOP, NONE) | S(SNOOPX, FWD), data_src_snoop, "None or Fwd");
	assert_text(S(BLK, DATA) | S(BLK, ADDR), data_src_blocked, " Data Addr");
	assert_text(S(BLK, NA) | S(BLK, ADDR), data_src_blocked, " N/A");
	assert_text(S(LOCK, NA), data_src_lock, "N/A");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_word),
		cmocka_unit_test(levels_by_number),
		cmocka_unit_test(snoops_and_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
