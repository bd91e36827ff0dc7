#include "base/testing.h"

#include "base/hash.h"
#include "view/tui/flame_tree.h"

/* A function of one letter; the address distinguishes calls of it. */
static frame_id frame(struct profile *p, char name, uint64_t addr)
{
	struct profile_function f = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, (char[]){ name, 0 }) };
	struct profile_frame fr = { .mapping = PROFILE_NONE, .function = profile_function(p, &f), .addr = addr, .ip = addr };
	return profile_frame(p, &fr);
}

static void add(struct profile *p, const char *names, uint64_t addr, uint32_t event, uint64_t value)
{
	stack_id s = PROFILE_NONE;
	for (; *names; names++)
		s = profile_stack(p, s, frame(p, *names, addr));
	profile_add(p, s, profile_labels(p, NULL), event, 1, value, 0);
}

static uint32_t child_named(struct flame_tree *t, uint32_t parent, char name)
{
	uint32_t i = flame_tree_children(t, parent);
	while (i != PROFILE_NONE && flame_tree_name_hash(t, i) != hash_bytes(&name, 1))
		i = t->nodes.data[i].next;
	return i;
}

static uint64_t value_at(struct flame_tree *t, const char *names)
{
	uint32_t node = FLAME_ROOT;
	for (; *names && node != PROFILE_NONE; names++)
		node = child_named(t, node, *names);
	return node == PROFILE_NONE ? UINT64_MAX : t->nodes.data[node].value;
}

static void functions_are_one_at_any_address(void **state)
{
	struct profile *p = profile_create();
	struct flame_tree t;
	uint32_t cycles = profile_event(p, "cycles", ""), other = profile_event(p, "other", "");
	add(p, "mab", 1, cycles, 10);
	add(p, "mab", 2, cycles, 20);
	add(p, "mac", 3, cycles, 30);
	add(p, "m", 1, cycles, 5);
	add(p, "x", 1, cycles, 7);
	add(p, "mz", 1, other, 1000);
	flame_tree_init(&t, p, cycles);
	assert_int_equal(value_at(&t, ""), 72);
	assert_int_equal(t.nodes.len, 1);
	assert_int_equal(value_at(&t, "m"), 65);
	assert_int_equal(value_at(&t, "x"), 7);
	assert_int_equal(value_at(&t, "ma"), 60);
	assert_int_equal(value_at(&t, "mab"), 30);
	assert_int_equal(value_at(&t, "mac"), 30);
	assert_int_equal(value_at(&t, "mz"), UINT64_MAX);
	assert_int_equal(value_at(&t, "mabc"), UINT64_MAX);
	/* The root, and m x a b c: looked up again they are the same. */
	assert_int_equal(t.nodes.len, 6);
	assert_int_equal(value_at(&t, "mab"), 30);
	assert_int_equal(t.nodes.len, 6);
	flame_tree_deinit(&t);
	flame_tree_init(&t, p, other);
	assert_int_equal(value_at(&t, "mz"), 1000);
	assert_int_equal(value_at(&t, "ma"), UINT64_MAX);
	flame_tree_deinit(&t);
	profile_destroy(p);
}

static bool is_a(void *ctx, frame_id frame)
{
	const struct profile *p = ctx;
	return !strcmp(profile_str(p, p->functions.data[p->frames.data[frame].function].name), "a");
}

static void what_stands_on_itself_counts_once(void **state)
{
	struct profile *p = profile_create();
	struct flame_tree t;
	uint32_t e = profile_event(p, "cycles", "");
	add(p, "mab", 1, e, 10);
	add(p, "maba", 1, e, 20);
	add(p, "ba", 2, e, 40);
	add(p, "mb", 1, e, 80);
	flame_tree_init(&t, p, e);
	assert_int_equal(flame_tree_sum(&t, is_a, p), 70);
	flame_tree_deinit(&t);
	profile_destroy(p);
}

static void add_of(struct profile *p, const char *process, const char *names, uint64_t value)
{
	stack_id s = PROFILE_NONE;
	uint64_t label = strtab_add(&p->strings, process);
	for (; *names; names++)
		s = profile_stack(p, s, frame(p, *names, 1));
	profile_add(p, s, profile_labels(p, &label), 0, 1, value, 0);
}

/* Processes P and Q call the same functions; their stacks are separate, and sums are of both. */
static void processes_are_next_to_the_root(void **state)
{
	struct profile *p = profile_create();
	struct flame_tree t;
	uint32_t e = profile_event(p, "cycles", "");
	profile_column(p, "comm", COLUMN_STRING);
	add_of(p, "P", "mab", 10);
	add_of(p, "P", "ma", 5);
	flame_tree_init(&t, p, e);
	assert_int_equal(value_at(&t, "ma"), 15);
	assert_int_equal(value_at(&t, "P"), UINT64_MAX);
	flame_tree_deinit(&t);
	add_of(p, "Q", "ma", 20);
	add_of(p, "Q", "x", 40);
	add_of(p, "P", "mab", 80);
	flame_tree_init(&t, p, e);
	assert_int_equal(value_at(&t, ""), 155);
	assert_int_equal(value_at(&t, "P"), 95);
	assert_int_equal(value_at(&t, "Pma"), 95);
	assert_int_equal(value_at(&t, "Pmab"), 90);
	assert_int_equal(value_at(&t, "Q"), 60);
	assert_int_equal(value_at(&t, "Qma"), 20);
	assert_int_equal(value_at(&t, "Qmab"), UINT64_MAX);
	assert_int_equal(value_at(&t, "Qx"), 40);
	assert_int_equal(value_at(&t, "m"), UINT64_MAX);
	assert_int_equal(flame_tree_sum(&t, is_a, p), 115);
	flame_tree_deinit(&t);
	profile_destroy(p);
}

static void nothing_has_a_root(void **state)
{
	struct profile *p = profile_create();
	struct flame_tree t;
	flame_tree_init(&t, p, profile_event(p, "cycles", ""));
	assert_int_equal(value_at(&t, ""), 0);
	assert_int_equal(flame_tree_children(&t, FLAME_ROOT), PROFILE_NONE);
	assert_int_equal(flame_tree_sum(&t, is_a, p), 0);
	flame_tree_deinit(&t);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_one_at_any_address),
		cmocka_unit_test(what_stands_on_itself_counts_once),
		cmocka_unit_test(processes_are_next_to_the_root),
		cmocka_unit_test(nothing_has_a_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
