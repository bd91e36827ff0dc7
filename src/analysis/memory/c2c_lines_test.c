/* Lines and rows of accesses that are known: identity, cycles, CPUs, nodes, order, and what is left out. */
#include "base/testing.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analysis/memory/c2c_text.h"
#include "analysis/memory/c2c_lines.h"

#define LEVEL(names) ((uint64_t)(names) << PERF_MEM_LVL_SHIFT)
#define LOAD_CHANGED (PERF_MEM_OP_LOAD | LEVEL(PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3) | PERF_MEM_S(SNOOP, HITM))
#define LOAD_REMOTE  (PERF_MEM_OP_LOAD | LEVEL(PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1) | PERF_MEM_S(SNOOP, HITM))
#define LOAD_HIT     (PERF_MEM_OP_LOAD | LEVEL(PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1))
#define STORE_HIT    (PERF_MEM_OP_STORE | LEVEL(PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1))

static struct env *machine(void)
{
	static const uint64_t bitmaps[2] = { 1, 2 };
	struct env *env = env_create();
	for (uint32_t i = 0; i < 2; i++) {
		const struct env_numa_node node = { .node = i, .cpus = i ? "2-3" : "0-1" };
		const struct env_mem_node memory = { .node = i, .bits = 64, .bitmap = &bitmaps[i] };
		vec_push(&env->numa, node);
		vec_push(&env->mem_nodes, memory);
	}
	env->mem_block_bytes = 1 << 20;
	return env;
}

static struct c2c_row *take(struct c2c_lines *l, uint64_t word, uint64_t address, uint32_t cpu, uint64_t code, uint64_t weight)
{
	bool is_new;
	const struct c2c_access a = { .data_src = word, .weight = weight, .address = address, .data_key = address, .file = 1,
				      .data_pid = UINT32_MAX, .is_mapped = true, .cpu = cpu, .code = code, .physical = address << 16 };
	return c2c_lines_take(l, &a, &is_new);
}

static void lines_and_rows(void **state)
{
	(void)state;
	struct env *env = machine();
	struct c2c_sums s = { .env = env, .has_key[C2C_CODE] = true, .keys = { C2C_CODE }, .keys_nr = 1 };
	struct c2c_lines l;
	c2c_lines_init(&l, &s);
	take(&l, LOAD_HIT, 0, 0, 9, 1);      /* line 0, alone */
	take(&l, LOAD_CHANGED, 64, 0, 7, 10); /* line 1: offset 0 by two instructions, offset 8 by one */
	take(&l, LOAD_CHANGED, 64, 2, 7, 30);
	take(&l, LOAD_REMOTE, 64, 2, 8, 100);
	take(&l, STORE_HIT, 72, 3, 9, 0);
	take(&l, LOAD_HIT, 80, 3, 9, 0);     /* neither shared nor a store: no row is shown */
	take(&l, LOAD_CHANGED, 130, 1, 7, 5); /* line 2 */
	c2c_lines_finish(&l, false);
	assert_int_equal(s.lines.len, 3);
	assert_int_equal(s.shared_lines, 2);
	assert_int_equal(s.shown.len, 2);
	const struct c2c_line *first = &s.lines.data[s.shown.data[0]];
	assert_int_equal(first->address, 64);
	assert_int_equal(access_modified(&first->counts), 3);
	assert_int_equal(first->rows.len, 4);
	const struct c2c_row *row = &s.rows.data[first->rows.data[0]];
	assert_int_equal(row->code, 7);
	assert_int_equal(row->local.nr, 2);
	assert_true(row->local.mean == 20);
	assert_int_equal(row->cpus.data[0], 1 << 0 | 1 << 2);
	assert_int_equal(row->nodes.data[0].n[ACCESS_LOCAL_MODIFIED], 1);
	assert_int_equal(row->nodes.data[1].n[ACCESS_LOCAL_MODIFIED], 1);
	assert_int_equal(s.rows.data[first->rows.data[1]].code, 8);
	assert_true(s.rows.data[first->rows.data[1]].remote.mean == 100);
	assert_int_equal(s.rows.data[first->rows.data[2]].offset, 8);
	assert_false(s.rows.data[first->rows.data[2]].is_hidden);
	assert_true(s.rows.data[first->rows.data[3]].is_hidden);
	/* 64 << 16 is in block 4 of neither node; 0 is not known. */
	assert_int_equal(first->places.changes, 0);
	c2c_lines_deinit(&l);
	c2c_sums_deinit(&s);
	env_destroy(env);
}

/* Anonymous memory of two processes at one address is two lines; what both map of one file is one. */
static void identity(void **state)
{
	(void)state;
	struct env *env = machine();
	struct c2c_sums s = { .env = env, .double_lines = true };
	struct c2c_lines l;
	bool is_new;
	c2c_lines_init(&l, &s);
	struct c2c_access a = { .data_src = LOAD_CHANGED, .address = 128, .data_key = 128, .file = UINT32_MAX, .data_pid = 1,
				.cpu = UINT32_MAX, .physical = 1 << 20 };
	c2c_lines_take(&l, &a, &is_new);
	a.data_pid = 2;
	c2c_lines_take(&l, &a, &is_new);
	assert_true(is_new);
	a = (struct c2c_access){ .data_src = LOAD_CHANGED, .address = 0x7000, .data_key = 0x100, .file = 3, .data_pid = UINT32_MAX };
	c2c_lines_take(&l, &a, &is_new);
	a.address = 0x9040; /* the second line of a pair */
	a.data_key = 0x140;
	c2c_lines_take(&l, &a, &is_new);
	c2c_lines_finish(&l, true);
	assert_int_equal(s.lines.len, 3);
	assert_int_equal(s.lines.data[2].rows.len, 2);
	assert_int_equal(s.rows.data[s.lines.data[2].rows.data[1]].offset, 0x40);
	assert_int_equal(s.lines.data[0].places.changes, 1);
	assert_true(c2c_has_bit(&s.lines.data[0].places.nodes, 1));
	c2c_lines_deinit(&l);
	c2c_sums_deinit(&s);
	env_destroy(env);
}

static void bits(void **state)
{
	(void)state;
	c2c_bits b = {};
	struct strbuf text = {};
	c2c_bits_text(&text, &b);
	assert_string_equal(strbuf_str(&text), "");
	vec_push(&b, UINT64_C(1) << 63 | 0xb);
	vec_push(&b, 1 | 1 << 5);
	c2c_bits_text(&text, &b);
	assert_string_equal(strbuf_str(&text), "0-1,3,63-64,69");
	vec_deinit(&b);
	strbuf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lines_and_rows), cmocka_unit_test(identity), cmocka_unit_test(bits) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
