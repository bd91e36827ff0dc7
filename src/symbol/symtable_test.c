/* Which symbol owns an address: aliases, nesting, labels without size. Expectations are what perf script 6.1 showed. */
#include "base/testing.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "symbol/rank.h"
#include "symbol/symtable.h"

struct made {
	struct symtable_builder builder;
	struct strbuf names;
	struct symtable table;
};

static void add(struct made *m, const char *name, uint64_t start, uint64_t bytes, uint8_t binding)
{
	struct symtable_entry e = {
		.start = start, .end = start + bytes, .name = (uint32_t)m->names.len, .binding = binding};
	strbuf_add(&m->names, name, strlen(name) + 1);
	vec_push(&m->builder.entries, e);
}

static void finish(struct made *m)
{
	m->builder.names[0] = (struct symtable_names){ .data = m->names.data, .bytes = m->names.len };
	symtable_finish(&m->builder, &m->table);
}

static const char *at(const struct made *m, uint64_t addr)
{
	uint32_t i = symtable_find(&m->table, addr);
	return i == SYMTABLE_NONE ? NULL : symtable_name(&m->table, &m->table.entries[i]);
}

static void drop(struct made *m)
{
	symtable_deinit(&m->table);
	strbuf_deinit(&m->names);
}

static void disjoint_symbols_and_gaps(void **state)
{
	struct made m = {};
	add(&m, "b", 0x200, 0x10, STB_GLOBAL);
	add(&m, "a", 0x100, 0x10, STB_GLOBAL);
	add(&m, "c", 0x210, 0x10, STB_LOCAL);
	finish(&m);
	assert_null(at(&m, 0xff));
	assert_string_equal(at(&m, 0x100), "a");
	assert_string_equal(at(&m, 0x10f), "a");
	assert_null(at(&m, 0x110));
	assert_null(at(&m, 0x1ff));
	assert_string_equal(at(&m, 0x20f), "b");
	assert_string_equal(at(&m, 0x210), "c");
	assert_null(at(&m, 0x220));
	assert_null(at(&m, UINT64_MAX));
	drop(&m);
}

static void an_empty_table_answers_nobody(void **state)
{
	struct made m = {};
	finish(&m);
	assert_null(at(&m, 0));
	assert_null(at(&m, UINT64_MAX));
	drop(&m);
}

static void symbols_without_size_reach_to_the_next(void **state)
{
	struct made m = {};
	add(&m, "label", 0x100, 0, STB_LOCAL);
	add(&m, "sized", 0x180, 0x20, STB_GLOBAL);
	add(&m, "last", 0x1234, 0, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, 0x17f), "label");
	assert_string_equal(at(&m, 0x180), "sized");
	assert_null(at(&m, 0x1a0));
	/* The last has no next: it ends with the page after its own. */
	assert_string_equal(at(&m, 0x2fff), "last");
	assert_null(at(&m, 0x3000));
	drop(&m);
}

static void labels_inside_a_function_do_not_hide_it(void **state)
{
	struct made m = {};
	add(&m, "outer", 0x100, 0x80, STB_GLOBAL);
	add(&m, "label", 0x120, 0, STB_LOCAL);
	add(&m, "late_label", 0x170, 0, STB_LOCAL);
	add(&m, "next", 0x200, 0x10, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, 0x130), "outer");
	assert_string_equal(at(&m, 0x17f), "outer");
	/* After the function's end it is all there is. */
	assert_string_equal(at(&m, 0x180), "late_label");
	assert_string_equal(at(&m, 0x1ff), "late_label");
	drop(&m);
}

static void the_inner_of_nested_symbols_owns_its_part(void **state)
{
	struct made m = {};
	add(&m, "outer", 0x100, 0x100, STB_GLOBAL);
	add(&m, "inner", 0x140, 0x20, STB_GLOBAL);
	add(&m, "innermost", 0x150, 0x4, STB_GLOBAL);
	add(&m, "across", 0x1f0, 0x40, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, 0x13f), "outer");
	assert_string_equal(at(&m, 0x140), "inner");
	assert_string_equal(at(&m, 0x153), "innermost");
	assert_string_equal(at(&m, 0x154), "inner");
	assert_string_equal(at(&m, 0x160), "outer");
	assert_string_equal(at(&m, 0x1f0), "across");
	assert_string_equal(at(&m, 0x22f), "across");
	assert_null(at(&m, 0x230));
	drop(&m);
}

static void a_longer_alias_serves_after_the_best_one(void **state)
{
	struct made m = {};
	add(&m, "long_local", 0x100, 0x40, STB_LOCAL);
	add(&m, "short", 0x100, 0x8, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, 0x107), "short");
	assert_string_equal(at(&m, 0x108), "long_local");
	assert_null(at(&m, 0x140));
	drop(&m);
}

static void later_lines_of_a_jit_hold(void **state)
{
	struct made m = { .builder.ends = SYMTABLE_ENDS_JIT };
	add(&m, "old", 0x100, 0x100, STB_GLOBAL);
	add(&m, "new", 0x80, 0xc0, STB_GLOBAL);
	add(&m, "newer", 0x100, 0x10, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, 0x80), "new");
	assert_string_equal(at(&m, 0x105), "newer");
	assert_string_equal(at(&m, 0x110), "new");
	assert_string_equal(at(&m, 0x13f), "new");
	assert_string_equal(at(&m, 0x140), "old");
	assert_null(at(&m, 0x200));
	drop(&m);
}

static void ends_do_not_wrap(void **state)
{
	struct made m = {};
	add(&m, "top", UINT64_MAX - 0xff, 0, STB_GLOBAL);
	add(&m, "high", UINT64_MAX - 0xffff, 0xf00, STB_GLOBAL);
	finish(&m);
	assert_string_equal(at(&m, UINT64_MAX - 1), "top");
	assert_string_equal(at(&m, UINT64_MAX - 0xffff), "high");
	drop(&m);
}

/* Many random intervals against the rule applied to each address by itself. */
static void every_address_against_the_plain_rule(void **state)
{
	srandom(7);
	for (int round = 0; round < 200; round++) {
		struct made m = {};
		uint64_t starts[24], ends[24];
		char names[24][4];
		int n = 1 + (int)(random() % 24);
		for (int i = 0; i < n; i++) {
			/* Starts that differ: ranking has its own test. */
			starts[i] = (uint64_t)i * 7 + (uint64_t)(random() % 7);
			ends[i] = starts[i] + 1 + (uint64_t)(random() % 40);
			names[i][0] = (char)('A' + i);
			names[i][1] = 0;
			add(&m, names[i], starts[i], ends[i] - starts[i], STB_GLOBAL);
		}
		finish(&m);
		for (uint64_t addr = 0; addr < 260; addr++) {
			int owner = -1;
			for (int i = 0; i < n; i++)
				if (addr >= starts[i] && addr < ends[i] && (owner < 0 || starts[i] > starts[owner]))
					owner = i;
			if (owner < 0)
				assert_null(at(&m, addr));
			else
				assert_string_equal(at(&m, addr), names[owner]);
		}
		drop(&m);
	}
}

struct alias {
	const char *name;
	uint64_t bytes;
	uint8_t binding;
};

/* The second of each pair of a hot function in an assembly file, as perf script 6.1 named it: true = the second. */
static void aliases_are_ranked_as_the_reference_ranks_them(void **state)
{
	static const struct {
		struct alias first, second;
		bool second_wins;
	} cases[] = {
		{ { "c1_zero", 0, STB_LOCAL }, { "c1_sized", 64, STB_LOCAL }, true },
		{ { "c3_loc", 64, STB_LOCAL }, { "c3_weak_longer_name", 64, STB_WEAK }, false },
		{ { "c4_local_longer", 64, STB_LOCAL }, { "c4_g", 64, STB_GLOBAL }, true },
		{ { "__c5_longer_name", 64, STB_GLOBAL }, { "c5_g", 64, STB_GLOBAL }, true },
		{ { "c6_short", 64, STB_GLOBAL }, { "c6_longer_name", 64, STB_GLOBAL }, true },
		{ { "c7_same_a", 64, STB_GLOBAL }, { "c7_same_b", 64, STB_GLOBAL }, false },
		{ { "d2_local", 64, STB_LOCAL }, { "d2_weak", 64, STB_WEAK }, false },
		{ { "d4_sized_longest", 64, STB_LOCAL }, { "d4_sized_shorter", 3, STB_GLOBAL }, true },
		{ { "SyS_abc", 64, STB_GLOBAL }, { "sys_abc", 64, STB_GLOBAL }, true },
		/* Mangled names count as they are shown: "a_c_name_of_this_length" against "a::b". */
		{ { "_ZN1a1bEv", 64, STB_GLOBAL }, { "a_c_name", 64, STB_GLOBAL }, true },
		{ { "_ZN1SC1Ev", 64, STB_GLOBAL }, { "_ZN1SC2Ev", 64, STB_GLOBAL }, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct alias *f = &cases[i].first, *s = &cases[i].second;
		struct rank_candidate a = { f->bytes, f->binding, f->name }, b = { s->bytes, s->binding, s->name };
		if (rank_better(&b, &a, true) != cases[i].second_wins)
			fail_msg("%s against %s", f->name, s->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disjoint_symbols_and_gaps),
		cmocka_unit_test(an_empty_table_answers_nobody),
		cmocka_unit_test(symbols_without_size_reach_to_the_next),
		cmocka_unit_test(labels_inside_a_function_do_not_hide_it),
		cmocka_unit_test(the_inner_of_nested_symbols_owns_its_part),
		cmocka_unit_test(a_longer_alias_serves_after_the_best_one),
		cmocka_unit_test(later_lines_of_a_jit_hold),
		cmocka_unit_test(ends_do_not_wrap),
		cmocka_unit_test(every_address_against_the_plain_rule),
		cmocka_unit_test(aliases_are_ranked_as_the_reference_ranks_them),
	};
	return cmocka_run_group_tests_name("symtable", tests, NULL, NULL);
}
