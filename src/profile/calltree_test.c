#include "view/view_testing.h"

#include <stdlib.h>

#include "profile/calltree.h"

static const uint32_t first_event[] = { 0 };

struct fixture {
	struct profile *p;
	struct hist_key keys[1];
	struct hist *h;
	struct calltrees *t, *one_by_one;
};

static void open_fixture(struct fixture *f, const struct test_sample *samples, size_t n, bool children,
			 struct calltree_options o)
{
	*f = (struct fixture){ .p = test_profile(samples, n) };
	f->keys[0].column = &columns[COLUMN_SYMBOL];
	hist_key_bind(&f->keys[0], f->p);
	f->h = hist_create(f->p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = f->keys, .keys_nr = 1,
							.children = children, .callee_first = o.callee_first });
	uint32_t all[64];
	assert_true(f->h->entries.len <= 64);
	for (uint32_t i = 0; i < f->h->entries.len; i++)
		all[i] = i;
	o.threads = 1;
	f->t = calltrees_create(f->h, o, all, (uint32_t)f->h->entries.len);
	f->one_by_one = calltrees_open(f->h, o);
}

static void close_fixture(struct fixture *f)
{
	calltrees_destroy(f->t);
	calltrees_destroy(f->one_by_one);
	hist_destroy(f->h);
	profile_destroy(f->p);
}

static const char *frame_name(const struct fixture *f, frame_id id)
{
	return profile_str(f->p, f->p->functions.data[f->p->frames.data[id].function].name);
}

/* "main,a(10/40[b(30)])": frames, what ends there, what there is in all, and the children. */
static void write_node(const struct fixture *f, const struct calltree_node *n, struct strbuf *out)
{
	for (uint32_t i = 0; i < n->frames_nr; i++)
		strbuf_addf(out, "%s%s", i ? "," : "", frame_name(f, n->frames[i]));
	strbuf_addf(out, "(%d/%d", (int)n->hits, (int)calltree_total(n));
	for (const struct calltree_node *c = n->child; c; c = c->next) {
		strbuf_addstr(out, c == n->child ? " " : ";");
		write_node(f, c, out);
	}
	strbuf_addch(out, ')');
}

static void assert_node(const struct fixture *f, const struct calltree_node *root, const char *expected)
{
	struct strbuf b = {};
	write_node(f, root, &b);
	assert_string_equal(strbuf_str(&b), expected);
	strbuf_deinit(&b);
}

static void assert_tree(const struct fixture *f, const char *symbol, const char *expected)
{
	for (uint32_t i = 0; i < f->h->entries.len; i++) {
		if (strcmp(profile_str(f->p, hist_function(f->h, &f->h->entries.data[i])->name), symbol))
			continue;
		const struct calltree_node *root = calltrees_get(f->t, i);
		assert_int_equal(calltrees_has_any(f->one_by_one, i), root && root->child);
		calltrees_add(f->one_by_one, i);
		if (!root) {
			assert_null(expected);
			assert_null(calltrees_get(f->one_by_one, i));
			return;
		}
		assert_node(f, root, expected);
		assert_node(f, calltrees_get(f->one_by_one, i), expected);
		return;
	}
	fail_msg("no entry %s", symbol);
}

static const struct test_sample samples[] = {
	{ "x", "main>a>b", 10 },
	{ "x", "main>a>c", 25 },
	{ "x", "main>a", 5 },
	{ "x", "main>r>r>b", 45 },
	{ "x", "b", 20 },
};

static void callers_first_with_children(void **state)
{
	struct fixture f;
	open_fixture(&f, samples, 5, true, (struct calltree_options){ .mode = CALLTREE_GRAPH });
	/* What main goes on to. */
	assert_tree(&f, "main", "(0/85 main(0/85 r,r,b(45/45);a(5/40 c(25/25);b(10/10))))");
	/* Samples that end in a come with their whole stack, the others from a inwards. */
	assert_tree(&f, "a", "(0/40 a(0/35 c(25/25);b(10/10));main,a(5/5))");
	/* Recursion: from the outermost r. */
	assert_tree(&f, "r", "(0/45 r,r,b(45/45))");
	assert_tree(&f, "b", "(0/75 main(0/55 r,r,b(45/45);a,b(10/10));b(20/20))");
	close_fixture(&f);
}

static void callees_first_without_children(void **state)
{
	struct fixture f;
	open_fixture(&f, samples, 5, false, (struct calltree_options){ .mode = CALLTREE_GRAPH, .callee_first = true });
	assert_tree(&f, "b", "(0/75 b(20/75 r,r,main(45/45);a,main(10/10)))");
	assert_tree(&f, "a", "(0/5 a,main(5/5))");
	close_fixture(&f);
}

static void callees_first_with_children(void **state)
{
	struct fixture f;
	open_fixture(&f, samples, 5, true, (struct calltree_options){ .mode = CALLTREE_GRAPH, .callee_first = true });
	assert_tree(&f, "main", "(0/85 main(85/85))");
	/* From the innermost r outwards. */
	assert_tree(&f, "r", "(0/45 r,r,main(45/45))");
	assert_tree(&f, "a", "(0/40 a,main(40/40))");
	close_fixture(&f);
}

static void callers_first_without_children(void **state)
{
	struct fixture f;
	open_fixture(&f, samples, 5, false, (struct calltree_options){ .mode = CALLTREE_GRAPH });
	assert_tree(&f, "b", "(0/75 main(0/55 r,r,b(45/45);a,b(10/10));b(20/20))");
	close_fixture(&f);
}

static void small_branches_are_left_out(void **state)
{
	struct fixture f;
	/* 15 % of 105. What is left out still counts in the node above, and keeps the run of frames apart. */
	open_fixture(&f, samples, 5, true, (struct calltree_options){ .mode = CALLTREE_GRAPH, .min_percent = 15 });
	assert_tree(&f, "main", "(0/85 main(0/85 r,r,b(45/45);a(5/40 c(25/25))))");
	assert_tree(&f, "b", "(0/75 main(0/55 r,r,b(45/45));b(20/20))");
	close_fixture(&f);
	open_fixture(&f, samples, 5, true, (struct calltree_options){ .mode = CALLTREE_GRAPH, .min_percent = 60 });
	assert_tree(&f, "r", NULL); /* 45 in all */
	close_fixture(&f);
}

static void fractal_thresholds_are_of_the_node_above(void **state)
{
	struct fixture f;
	/* 40 %: of main's 85 that is 34, of the 35 below a it is 14. */
	open_fixture(&f, samples, 5, true, (struct calltree_options){ .mode = CALLTREE_FRACTAL, .min_percent = 40 });
	assert_tree(&f, "main", "(0/85 main(0/85 r,r,b(45/45);a(5/40 c(25/25))))");
	close_fixture(&f);
}

/* Rows of two threads are groups of their own, requested in turns. */
static void one_tree_at_a_time_of_many_groups(void **state)
{
	static const struct test_sample two[] = {
		{ "x", "main>a>b", 30 }, { "x", "main>a>c", 10 }, { "x", "main>b", 5 },
		{ "y", "main>a>b", 7 },  { "y", "main>c>b>a", 3 }, { "y", "main", 1 },
	};
	for (unsigned way = 0; way < 4; way++) {
		struct calltree_options o = { .mode = way & 1 ? CALLTREE_FRACTAL : CALLTREE_GRAPH, .min_percent = 20, .threads = 1,
					      .callee_first = way & 2 };
		struct fixture f = { .p = test_profile(two, sizeof(two) / sizeof(*two)) };
		struct hist_key keys[2] = { { .column = &columns[COLUMN_COMM] }, { .column = &columns[COLUMN_SYMBOL] } };
		hist_key_bind(&keys[0], f.p);
		hist_key_bind(&keys[1], f.p);
		f.h = hist_create(f.p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = keys, .keys_nr = 2,
							      .children = true, .callee_first = o.callee_first });
		uint32_t n = (uint32_t)f.h->entries.len, all[16];
		assert_int_equal(n, 8); /* main a b c of each */
		for (uint32_t i = 0; i < n; i++)
			all[i] = i;
		f.t = calltrees_create(f.h, o, all, n);
		f.one_by_one = calltrees_open(f.h, o);
		for (uint32_t k = 0; k < 2 * n; k++) {
			uint32_t i = k * 5 % n;
			const struct calltree_node *root = calltrees_get(f.t, i);
			struct strbuf b = {};
			assert_int_equal(calltrees_has_any(f.one_by_one, i), root && root->child);
			calltrees_add(f.one_by_one, i);
			if (root) {
				write_node(&f, root, &b);
				assert_node(&f, calltrees_get(f.one_by_one, i), strbuf_str(&b));
			}
			strbuf_deinit(&b);
		}
		close_fixture(&f);
	}
}

static void same_trees_on_several_threads(void **state)
{
	struct fixture f;
	/* Many stacks, so that threads are used: 200 leaves below 150 mids each. */
	struct profile *p = profile_create();
	profile_column(p, "comm", COLUMN_STRING);
	profile_event(p, "cycles", "");
	uint64_t labels[] = { strtab_add(&p->strings, "x") };
	labels_id id = profile_labels(p, labels);
	for (int i = 0; i < 150; i++)
		for (int j = 0; j < 200; j++) {
			char text[64];
			snprintf(text, sizeof(text), "main>m%d>l%d", i, j);
			profile_add(p, test_stack(p, text), id, 0, 1, 1, 0);
		}
	f = (struct fixture){ .p = p };
	f.keys[0].column = &columns[COLUMN_SYMBOL];
	hist_key_bind(&f.keys[0], p);
	f.h = hist_create(p, (struct hist_options){ .events = first_event, .events_nr = 1, .keys = f.keys, .keys_nr = 1,
						    .children = true });
	uint32_t n = (uint32_t)f.h->entries.len, *all = malloc(n * sizeof(*all));
	assert_int_equal(n, 351);
	for (uint32_t i = 0; i < n; i++)
		all[i] = i;
	struct calltrees *t = calltrees_create(f.h, (struct calltree_options){ .mode = CALLTREE_GRAPH, .threads = 4 }, all, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct calltree_node *root = calltrees_get(t, i);
		assert_non_null(root);
		assert_int_equal(calltree_total(root), hist_stats(f.h, &f.h->entries.data[i])->children);
	}
	calltrees_destroy(t);
	free(all);
	hist_destroy(f.h);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_first_with_children),
		cmocka_unit_test(callees_first_without_children),
		cmocka_unit_test(callees_first_with_children),
		cmocka_unit_test(callers_first_without_children),
		cmocka_unit_test(small_branches_are_left_out),
		cmocka_unit_test(fractal_thresholds_are_of_the_node_above),
		cmocka_unit_test(one_tree_at_a_time_of_many_groups),
		cmocka_unit_test(same_trees_on_several_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
