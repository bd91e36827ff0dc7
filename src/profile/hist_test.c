#include "view/view_testing.h"

#include <math.h>

#include "profile/calltree.h"

static struct hist_key key(const struct profile *p, enum column_id id)
{
	struct hist_key k = { .column = &columns[id] };
	hist_key_bind(&k, p);
	return k;
}

/* Four stacks; recursion in r. Shares of main by hand: self 0, with children 10 + 30 + 40 = 80 of 100. */
static const struct test_sample samples[] = {
	{ "x", "main>a>b", 10 },
	{ "x", "main>a", 30 },
	{ "x", "main>r>r>b", 40 },
	{ "y", "b", 20 },
};

static const uint32_t first_event[] = { 0 };

static const struct hist_entry *find(const struct hist *h, const char *comm, const char *symbol)
{
	uint32_t label = profile_find_column(h->profile, "comm");
	for (size_t i = 0; i < h->entries.len; i++) {
		const struct hist_entry *e = &h->entries.data[i];
		const struct profile_function *fn = hist_function(h, e);
		if (comm && strcmp(profile_str(h->profile, (str_id)hist_label(h, e, label, 0)), comm))
			continue;
		if (fn && !strcmp(profile_str(h->profile, fn->name), symbol))
			return e;
	}
	return NULL;
}

static void assert_sums(const struct hist *h, const char *comm, const char *symbol, uint64_t self, uint64_t children)
{
	const struct hist_entry *e = find(h, comm, symbol);
	assert_non_null(e);
	assert_int_equal(hist_stats(h, e)->period, self);
	assert_int_equal(hist_stats(h, e)->children, children);
}

static void children_count_once_a_sample(void **state)
{
	struct profile *p = test_profile(samples, 4);
	struct hist_key keys[] = { key(p, COLUMN_COMM), key(p, COLUMN_SYMBOL) };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys,
							       .keys_nr = 2, .children = true });
	assert_int_equal(h->totals[0].period, 100);
	assert_int_equal(h->totals[0].samples, 4);
	assert_int_equal(h->entries.len, 5); /* x: main a b r; y: b */
	assert_sums(h, "x", "main", 0, 80);
	assert_sums(h, "x", "a", 30, 40);
	assert_sums(h, "x", "r", 0, 40); /* twice on the stack, once in the sum */
	assert_sums(h, "x", "b", 50, 50);
	assert_sums(h, "y", "b", 20, 20);
	hist_destroy(h);
	profile_destroy(p);
}

static void keys_decide_what_is_one_entry(void **state)
{
	struct profile *p = test_profile(samples, 4);
	struct hist_key by_symbol[] = { key(p, COLUMN_SYMBOL) }, by_comm[] = { key(p, COLUMN_COMM) };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = by_symbol,
							       .keys_nr = 1 });
	assert_int_equal(h->entries.len, 2);
	assert_sums(h, NULL, "b", 70, 70);
	assert_sums(h, NULL, "a", 30, 30);
	hist_destroy(h);
	h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = by_comm, .keys_nr = 1,
						  .children = true });
	assert_int_equal(h->entries.len, 2);
	/* A key that says nothing of the code: all frames of a sample are the same entry. */
	assert_int_equal(h->stats[0].period, 80);
	assert_int_equal(h->stats[0].children, 80);
	hist_destroy(h);
	profile_destroy(p);
}

static const char *shown(const struct hist *h, uint32_t i)
{
	return profile_str(h->profile, hist_function(h, &h->entries.data[h->order[i]])->name);
}

static void rows_are_sorted_by_share_then_name(void **state)
{
	static const struct test_sample equal[] = { { "x", "zeta", 5 }, { "x", "beta", 5 }, { "x", "alpha", 5 }, { "x", "big", 6 } };
	struct profile *p = test_profile(equal, 4);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) };
	struct hist_key by[] = { key(p, COLUMN_OVERHEAD), keys[0] };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1 });
	hist_sort(h, by, 2, 0);
	assert_int_equal(h->order_nr, 4);
	assert_string_equal(shown(h, 0), "big");
	assert_string_equal(shown(h, 1), "alpha");
	assert_string_equal(shown(h, 2), "beta");
	assert_string_equal(shown(h, 3), "zeta");
	hist_destroy(h);
	profile_destroy(p);
}

static void assert_order(const struct hist *h, const char *const *names, uint32_t n)
{
	assert_int_equal(h->order_nr, n);
	for (uint32_t i = 0; i < n; i++)
		assert_string_equal(shown(h, i), names[i]);
}

/* What perf's rules say of two neighbours: shares, then the longer stacks, then names. */
static void assert_neighbours(const struct hist *h, uint32_t i)
{
	const struct hist_entry *a = &h->entries.data[h->order[i]], *b = &h->entries.data[h->order[i + 1]];
	const struct hist_stat *x = hist_stats(h, a), *y = hist_stats(h, b);
	assert_true(x->children >= y->children);
	if (x->children > y->children)
		return;
	assert_true(a->max_depth >= b->max_depth);
	if (a->max_depth == b->max_depth)
		assert_true(strcmp(shown(h, i), shown(h, i + 1)) < 0);
}

static void many_rows_of_one_thread(void **state)
{
	enum { STACKS = 500 };
	char stacks[STACKS][40];
	struct test_sample some[STACKS];
	for (unsigned i = 0; i < STACKS; i++) {
		unsigned caller = i * 7919 % 97, leaf = i * 104729 % 211;
		if (i % 3)
			snprintf(stacks[i], sizeof(stacks[i]), "main>f%u>g%u", caller, leaf);
		else
			snprintf(stacks[i], sizeof(stacks[i]), "main>g%u", leaf);
		some[i] = (struct test_sample){ "x", stacks[i], 1 + i % 4 };
	}
	struct profile *p = test_profile(some, STACKS);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) }, by[] = { key(p, COLUMN_OVERHEAD_CHILDREN), keys[0] };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1,
							       .children = true, .callers_above = true });
	hist_sort(h, by, 2, 0);
	assert_in_range(h->order_nr, 200, STACKS);
	for (uint32_t i = 0; i + 1 < h->order_nr; i++)
		assert_neighbours(h, i);
	hist_destroy(h);
	profile_destroy(p);
}

/* Names of templates: alike for long, some the beginning of others, some with the greatest bytes there are. */
static void many_names_that_begin_alike(void **state)
{
	enum { NAMES = 600, BYTES = 320 };
	char names[NAMES][BYTES];
	struct test_sample some[NAMES];
	for (unsigned i = 0; i < NAMES; i++) {
		unsigned n = i % 13 * 23;
		memset(names[i], i % 3 ? 'v' : '\xff', n);
		if (i % 5)
			snprintf(names[i] + n, BYTES - n, "%u::f%03u", i * 7919 % 29, i);
		else
			snprintf(names[i] + n, BYTES - n, "%u", i * 7919 % 29);
		some[i] = (struct test_sample){ "x", names[i], 5 };
	}
	struct profile *p = test_profile(some, NAMES);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) }, by[] = { key(p, COLUMN_OVERHEAD), keys[0] };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1 });
	hist_sort(h, by, 2, 0);
	assert_in_range(h->order_nr, NAMES / 2, NAMES);
	for (uint32_t i = 0; i + 1 < h->order_nr; i++) {
		uint64_t x = hist_stats(h, &h->entries.data[h->order[i]])->period;
		uint64_t y = hist_stats(h, &h->entries.data[h->order[i + 1]])->period;
		assert_true(x > y || (x == y && strcmp(shown(h, i), shown(h, i + 1)) < 0));
	}
	hist_destroy(h);
	profile_destroy(p);
}

static void another_order_keeps_that_of_what_is_alike(void **state)
{
	static const struct test_sample some[] = {
		{ "x", "function_b", 5 }, { "x", "a", 7 }, { "x", "function_a", 5 }, { "x", "z", 5 }, { "x", "z", 1 },
	};
	static const char *const by_share[] = { "a", "z", "function_a", "function_b" };
	static const char *const by_name[] = { "a", "function_a", "function_b", "z" };
	static const char *const by_samples[] = { "z", "a", "function_a", "function_b" };
	struct profile *p = test_profile(some, 5);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) };
	struct hist_key by[] = { key(p, COLUMN_OVERHEAD), keys[0] }, by_number = key(p, COLUMN_SAMPLE);
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1 });
	hist_sort(h, by, 2, 0);
	assert_order(h, by_share, 4);
	hist_reorder(h, &keys[0], 0);
	assert_order(h, by_name, 4);
	hist_reorder(h, &by_number, 0);
	assert_order(h, by_samples, 4);
	hist_reorder(h, &by[0], 0);
	assert_order(h, by_share, 4);
	hist_destroy(h);
	profile_destroy(p);
}

static void callers_stand_above_callees_of_equal_share(void **state)
{
	static const struct test_sample one[] = { { "x", "zmain>mid>aleaf", 5 } };
	struct profile *p = test_profile(one, 1);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) };
	struct hist_key by[] = { key(p, COLUMN_OVERHEAD_CHILDREN), key(p, COLUMN_OVERHEAD), keys[0] };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1,
							       .children = true, .callers_above = true });
	hist_sort(h, by, 3, 0);
	/* The leaf's own tree holds the whole stack: 3 frames, as zmain's; its own share then decides. */
	assert_string_equal(shown(h, 0), "aleaf");
	assert_string_equal(shown(h, 1), "zmain");
	assert_string_equal(shown(h, 2), "mid");
	hist_destroy(h);
	profile_destroy(p);
}

static bool hide_y(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return !strcmp(profile_str(p, (str_id)profile_label_values(p, row->labels)[0]), "y");
}

static void hidden_rows_stay_in_the_totals(void **state)
{
	struct profile *p = test_profile(samples, 4);
	struct hist_key keys[] = { key(p, COLUMN_COMM), key(p, COLUMN_SYMBOL) };
	struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 2,
							       .row_hidden = hide_y });
	hist_sort(h, keys, 2, 0);
	assert_int_equal(h->totals[0].period, 100);
	assert_int_equal(h->totals[0].shown_period, 80);
	assert_int_equal(h->order_nr, 2); /* x: a b */
	hist_destroy(h);
	h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 2,
						  .symbol_filter = "a" });
	hist_sort(h, keys, 2, 0);
	assert_int_equal(h->order_nr, 1);
	assert_string_equal(shown(h, 0), "a");
	hist_destroy(h);
	profile_destroy(p);
}

static void events_of_a_group_stand_side_by_side(void **state)
{
	struct profile *p = test_profile(samples, 4);
	struct hist_key keys[] = { key(p, COLUMN_SYMBOL) };
	uint64_t labels[] = { strtab_add(&p->strings, "x"), 40, 41 };
	profile_add(p, test_stack(p, "main>a"), profile_labels(p, labels), 1, 3, 9, 0);
	static const uint32_t both[] = { 0, 1 };
	struct hist *h = hist_create(p, (struct hist_options){ .events = both, .events_nr = 2, .keys = keys, .keys_nr = 1 });
	const struct hist_stat *s = hist_stats(h, find(h, NULL, "a"));
	assert_int_equal(s[0].period, 30);
	assert_int_equal(s[1].period, 9);
	assert_int_equal(s[1].samples, 3);
	assert_int_equal(h->totals[1].period, 9);
	hist_destroy(h);
	profile_destroy(p);
}

static void columns_are_found_by_their_beginning(void **state)
{
	assert_ptr_equal(column_find("sym", 3), &columns[COLUMN_SYMBOL]);
	assert_ptr_equal(column_find("symbol_size", 11), &columns[COLUMN_SYMBOL_SIZE]);
	assert_ptr_equal(column_find("DSO", 3), &columns[COLUMN_DSO]);
	assert_ptr_equal(column_find("overhead", 8), &columns[COLUMN_OVERHEAD]);
	assert_ptr_equal(column_find("p", 1), &columns[COLUMN_PID]);
	assert_null(column_find("nonsense", 8));
	assert_null(column_find("", 0));
}

/* As perf prints them: "number:name". */
static void a_thread_without_a_name_has_its_number(void **state)
{
	static const char *const comms[] = { "x", "" }, *const expected[] = { "     41:x", "     41::41" };
	for (unsigned i = 0; i < 2; i++) {
		const struct test_sample one[] = { { comms[i], "main", 5 } };
		struct profile *p = test_profile(one, 1);
		struct hist_key keys[] = { key(p, COLUMN_PID) };
		struct hist *h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 1 });
		struct strbuf text = {};
		column_format(h, &keys[0], &h->entries.data[0], 0, &text);
		assert_string_equal(strbuf_str(&text), expected[i]);
		strbuf_deinit(&text);
		hist_destroy(h);
		profile_destroy(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_count_once_a_sample),
		cmocka_unit_test(keys_decide_what_is_one_entry),
		cmocka_unit_test(rows_are_sorted_by_share_then_name),
		cmocka_unit_test(many_rows_of_one_thread),
		cmocka_unit_test(many_names_that_begin_alike),
		cmocka_unit_test(another_order_keeps_that_of_what_is_alike),
		cmocka_unit_test(callers_stand_above_callees_of_equal_share),
		cmocka_unit_test(hidden_rows_stay_in_the_totals),
		cmocka_unit_test(events_of_a_group_stand_side_by_side),
		cmocka_unit_test(columns_are_found_by_their_beginning),
		cmocka_unit_test(a_thread_without_a_name_has_its_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
