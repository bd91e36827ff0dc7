#include "view/svg/flamegraph.h"

#include <stdlib.h>

#include "view/view_testing.h"

/* The picture as text; freed by the caller. */
static char *draw(const struct profile *p, const struct flamegraph_options *o)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	assert_ok(view_flamegraph_svg(p, o, &out));
	const char *s = out_mem(&out, &bytes);
	char *copy = calloc(1, bytes + 1);
	memcpy(copy, s, bytes);
	assert_ok(out_close(&out));
	return copy;
}

static struct profile *plain_profile(void)
{
	return test_profile((struct test_sample[]){ { "sh", "main>leaf", 3 }, { "sh", "main", 1 } }, 2);
}

#define assert_has(text, part)                                                 \
	do {                                                                   \
		if (!strstr((text), (part)))                                   \
			fail_msg("\"%s\" is not in:\n%s", (part), (text));     \
	} while (0)
#define assert_has_not(text, part) assert_null(strstr((text), (part)))

static void frames_stand_where_they_must(void **state)
{
	struct profile *p = plain_profile();
	struct flamegraph_options o = flamegraph_defaults();
	o.width = 420; /* 400 for the frames: 100 a unit */
	char *svg = draw(p, &o);
	/* Rows of 16 from y = 3 * 12 = 36 down: leaf 36, main 52, sh 68, all 84; then 2 * 12 + 10 below the frames. */
	assert_has(svg, "width=\"420\" height=\"134\" viewBox=\"0 0 420 134\"");
	assert_has(svg, "<title>leaf\nprog, 1 sample, 75.00%</title><rect x=\"110\" y=\"37\" width=\"300\" height=\"15\"");
	assert_has(svg, "<title>main\nprog, 2 samples, 100.00%</title><rect x=\"10\" y=\"53\" width=\"400\" height=\"15\"");
	assert_has(svg, "<title>sh\n2 samples, 100.00%</title><rect x=\"10\" y=\"69\" width=\"400\" height=\"15\"");
	assert_has(svg, "<title>all\n2 samples, 100.00%</title><rect x=\"10\" y=\"85\" width=\"400\" height=\"15\"");
	free(svg);
	o.inverted = true;
	o.subtitle = "below";
	svg = draw(p, &o); /* rows from y = 5 * 12 = 60 down, the root first */
	assert_has(svg, "<title>all\n2 samples, 100.00%</title><rect x=\"10\" y=\"60\"");
	assert_has(svg, "<title>leaf\nprog, 1 sample, 75.00%</title><rect x=\"110\" y=\"108\"");
	assert_has(svg, ">Icicle Graph<");
	assert_has(svg, ">below<");
	free(svg);
	profile_destroy(p);
}

static void labels_are_cut_to_what_fits(void **state)
{
	/* Letters are 7.2 wide: 20 fit in 150, and 2 of them are dots. */
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "a_function_of_a_long_name", 150 },
								 { "sh", "\xc3\xa9t\xc3\xa9_\xc3\xa9t\xc3\xa9_\xc3\xa9t\xc3\xa9", 60 },
								 { "sh", "tiny", 20 }, { "sh", "w", 770 } }, 4);
	struct flamegraph_options o = flamegraph_defaults();
	o.width = 1020;
	char *svg = draw(p, &o);
	assert_has(svg, ">a_function_of_a_lo..</text>");
	assert_has(svg, ">\xc3\xa9t\xc3\xa9_\xc3\xa9..</text>"); /* 7 fit in 60 */
	assert_has(svg, "<title>tiny\n");
	assert_has_not(svg, ">ti"
			    "ny</text>");
	free(svg);
	profile_destroy(p);
}

static void names_cannot_leave_their_place(void **state)
{
	struct test_sample evil[] = { { "</title><script>alert(1)</script>", "a<b>&\"'", 1 }, { "x]]>y\033\x01", "\xff", 1 } };
	struct profile *p = test_profile(evil, 2);
	struct flamegraph_options o = flamegraph_defaults();
	o.title = "<T&>";
	o.subtitle = "</svg>";
	o.notes = "--> <";
	o.font_type = "\"><script>";
	o.name_type = "\" onload=\"x";
	o.count_name = "<n>";
	char *svg = draw(p, &o);
	assert_has(svg, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
	assert_has_not(svg, "alert(1)</script>");
	assert_has_not(svg, "x]]>y");
	assert_has_not(svg, "onload=\"x");
	assert_has_not(svg, "\"><script>");
	assert_has(svg, ">&lt;T&amp;&gt;<");
	assert_has(svg, ">&lt;/svg&gt;<");
	assert_has(svg, "<metadata>--&gt; &lt;</metadata>");
	assert_null(strchr(svg, '\033'));
	free(svg);
	profile_destroy(p);
}

static void counts_have_the_selected_unit(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "f", 1500000 }, { "sh", "g", 500 } }, 2);
	struct flamegraph_options o = flamegraph_defaults();
	o.count_name = "ms";
	o.factor = 0.001;
	o.min_width = 0;
	char *svg = draw(p, &o);
	assert_has(svg, "<title>f\nprog, 1,500 ms, 99.97%</title>");
	assert_has(svg, "<title>g\nprog, 0.50 ms, 0.03%</title>");
	free(svg);
	o.factor = 1;
	o.count_name = NULL;
	o.total = 3001000;
	svg = draw(p, &o);
	assert_has(svg, "<title>f\nprog, 1 sample, 49.98%</title>");
	free(svg);
	profile_destroy(p);
}

static void wrong_options_are_named(void **state)
{
	struct profile *p = plain_profile();
	struct out out;
	out_init_mem(&out);
#define WRONG(field, value, code)                                                    \
	do {                                                                         \
		struct flamegraph_options o_ = flamegraph_defaults();                \
		o_.field = (value);                                                  \
		assert_fails(view_flamegraph_svg(p, &o_, &out), code);               \
	} while (0)
	WRONG(colours, "mauve", ERROR_USAGE);
	WRONG(background, "pink", ERROR_USAGE);
	WRONG(width, 20, ERROR_USAGE);
	WRONG(frame_height, 0, ERROR_USAGE);
	WRONG(font_size, -1, ERROR_USAGE);
	WRONG(min_width, -0.5, ERROR_USAGE);
	WRONG(event, 7, ERROR_NOT_FOUND);
	WRONG(event, 1, ERROR_NOT_FOUND); /* it has no samples */
	size_t bytes;
	out_mem(&out, &bytes);
	assert_int_equal(bytes, 0);
	assert_ok(out_close(&out));
	profile_destroy(p);
}

static void it_is_described_in_words(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main>hot", 90 }, { "sh", "main", 10 } }, 2);
	struct flamegraph_options o = flamegraph_defaults();
	char *svg = draw(p, &o);
	assert_has(svg, "Where 2 samples of cycles were taken");
	assert_has(svg, "Most time is taken by hot 90.0%, main 10.0%.");
	free(svg);
	o.reverse = true;
	svg = draw(p, &o);
	assert_has(svg, "Most time is taken by hot 90.0%, main 10.0%.");
	free(svg);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_stand_where_they_must),
		cmocka_unit_test(labels_are_cut_to_what_fits),
		cmocka_unit_test(names_cannot_leave_their_place),
		cmocka_unit_test(counts_have_the_selected_unit),
		cmocka_unit_test(wrong_options_are_named),
		cmocka_unit_test(it_is_described_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
