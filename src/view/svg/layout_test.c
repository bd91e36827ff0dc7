#include "view/svg/layout.h"

#include "view/view_testing.h"

#define SAMPLES(...) (const struct test_sample[]){ __VA_ARGS__ }, sizeof((struct test_sample[]){ __VA_ARGS__ }) / sizeof(struct test_sample)

struct expected {
	const char *name;
	uint32_t depth;
	double x, width;
	uint32_t last;
};

static const char *name_of(const struct flame_layout *l, const struct flame_box *b)
{
	name_id id = l->tree.nodes.data[b->node].name;
	size_t bytes;
	return id == PROFILE_NONE ? "all" : frame_name_text(&l->tree.names, id, &bytes);
}

static void check(struct profile *p, struct flame_layout_options o, const struct expected *expected, size_t n)
{
	struct flame_layout l;
	assert_ok(flame_layout_init(&l, p, &o));
	assert_int_equal(l.boxes.len, n);
	for (size_t i = 0; i < n; i++) {
		const struct flame_box *b = &l.boxes.data[i];
		assert_string_equal(name_of(&l, b), expected[i].name);
		assert_int_equal(b->depth, expected[i].depth);
		assert_float_equal(b->x, expected[i].x, 1e-9);
		assert_float_equal(b->width, expected[i].width, 1e-9);
		assert_int_equal(b->last, expected[i].last);
	}
	flame_layout_deinit(&l);
	profile_destroy(p);
}

#define CHECK(p, o, ...)                                                                         \
	do {                                                                                     \
		const struct expected e_[] = { __VA_ARGS__ };                                    \
		check(p, o, e_, sizeof(e_) / sizeof(*e_));                                       \
	} while (0)

static struct profile *two_branches(void)
{
	return test_profile(SAMPLES({ "sh", "main>b", 30 }, { "sh", "main>a>c", 50 }, { "sh", "main", 20 }));
}

static void widths_are_shares(void **state)
{
	struct flame_layout_options o = { .width = 1000 };
	/* main's own 20 are at its left, its callees after them by name */
	CHECK(two_branches(), o, { "all", 0, 0, 1000, 6 }, { "sh", 1, 0, 1000, 6 }, { "main", 2, 0, 1000, 6 },
	      { "a", 3, 200, 500, 5 }, { "c", 4, 200, 500, 5 }, { "b", 3, 700, 300, 6 });
}

static void a_total_leaves_room(void **state)
{
	struct flame_layout_options o = { .width = 1000, .total = 200 };
	CHECK(two_branches(), o, { "all", 0, 0, 1000, 6 }, { "sh", 1, 0, 500, 6 }, { "main", 2, 0, 500, 6 },
	      { "a", 3, 100, 250, 5 }, { "c", 4, 100, 250, 5 }, { "b", 3, 350, 150, 6 });
}

static void a_total_that_is_too_small_is_not_used(void **state)
{
	struct profile *p = two_branches();
	struct flame_layout l;
	struct flame_layout_options o = { .width = 1000, .total = 99 };
	assert_ok(flame_layout_init(&l, p, &o));
	assert_int_equal(l.total, 100);
	flame_layout_deinit(&l);
	profile_destroy(p);
}

static void narrow_frames_are_left_out_with_what_they_carry(void **state)
{
	struct flame_layout_options o = { .width = 1000, .min_width = 300 };
	struct profile *p = test_profile(
		SAMPLES({ "sh", "main>a>c", 299 }, { "sh", "main>b", 300 }, { "sh", "main>z", 401 }));
	CHECK(p, o, { "all", 0, 0, 1000, 5 }, { "sh", 1, 0, 1000, 5 }, { "main", 2, 0, 1000, 5 }, { "b", 3, 299, 300, 4 },
	      { "z", 3, 599, 401, 5 });
}

static void reversed_stacks_begin_with_the_innermost_frame(void **state)
{
	struct flame_layout_options o = { .width = 100, .tree.reverse = true };
	struct profile *p = test_profile(SAMPLES({ "sh", "main>a>f", 60 }, { "sh", "main>b>f", 40 }));
	CHECK(p, o, { "all", 0, 0, 100, 8 }, { "f", 1, 0, 100, 8 }, { "a", 2, 0, 60, 5 }, { "main", 3, 0, 60, 5 },
	      { "sh", 4, 0, 60, 5 }, { "b", 2, 60, 40, 8 }, { "main", 3, 60, 40, 8 }, { "sh", 4, 60, 40, 8 });
}

static void nothing_to_show_is_an_error(void **state)
{
	struct profile *p = test_profile(NULL, 0);
	struct flame_layout l;
	struct flame_layout_options o = { .width = 1000 };
	assert_fails(flame_layout_init(&l, p, &o), ERROR_NOT_FOUND);
	flame_layout_deinit(&l);
	profile_destroy(p);
}

static void values_beyond_64_bits_stay_in_the_picture(void **state)
{
	struct flame_layout l;
	struct flame_layout_options o = { .width = 1000 };
	struct profile *p = test_profile(SAMPLES({ "sh", "a", UINT64_MAX }, { "sh", "b", UINT64_MAX }, { "sh", "c", 1 }));
	assert_ok(flame_layout_init(&l, p, &o));
	for (size_t i = 0; i < l.boxes.len; i++) {
		assert_true(l.boxes.data[i].x >= 0 && l.boxes.data[i].x <= 1000);
		assert_true(l.boxes.data[i].width >= 0 && l.boxes.data[i].width <= 1000);
	}
	flame_layout_deinit(&l);
	profile_destroy(p);
}

static void a_chart_keeps_the_order(void **state)
{
	struct flame_layout_options o = { .width = 1000, .tree.in_time = true };
	CHECK(two_branches(), o, { "all", 0, 0, 1000, 6 }, { "sh", 1, 0, 1000, 6 }, { "main", 2, 0, 1000, 6 },
	      { "b", 3, 0, 300, 4 }, { "a", 3, 300, 500, 6 }, { "c", 4, 300, 500, 6 });
}

static void a_log_says_when(void **state)
{
	/* b, then a, then b again: of two samples of a row each counts half of its value */
	struct flame_layout_options o = { .width = 100, .tree.in_time = true };
	struct profile *p = test_profile(SAMPLES({ "sh", "b", 61 }, { "sh", "a", 39 }));
	static const uint32_t rows[] = { 0, 1, 0 };
	for (uint32_t i = 0; i < 3; i++) {
		struct profile_log_entry e = { .time_ns = 10 + i, .row = rows[i] };
		vec_push(&p->log, e);
	}
	CHECK(p, o, { "all", 0, 0, 100, 5 }, { "sh", 1, 0, 100, 5 }, { "b", 2, 0, 31, 3 }, { "a", 2, 31, 39, 4 },
	      { "b", 2, 70, 30, 5 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_are_shares),
		cmocka_unit_test(a_chart_keeps_the_order),
		cmocka_unit_test(a_log_says_when),
		cmocka_unit_test(a_total_leaves_room),
		cmocka_unit_test(a_total_that_is_too_small_is_not_used),
		cmocka_unit_test(narrow_frames_are_left_out_with_what_they_carry),
		cmocka_unit_test(reversed_stacks_begin_with_the_innermost_frame),
		cmocka_unit_test(nothing_to_show_is_an_error),
		cmocka_unit_test(values_beyond_64_bits_stay_in_the_picture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
