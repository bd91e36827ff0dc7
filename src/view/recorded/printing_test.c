/* A recording of two tasks printed; all expected figures are computed by hand. */
#include "base/testing.h"

#include <string.h>

#include "base/strbuf.h"
#include "session/report/testing.h"
#include "view/recorded/printing.h"

struct said {
	struct strbuf lines;
	uint32_t drawn; /* samples of the profile that was drawn */
};

static void say(void *ctx, const char *line)
{
	struct said *s = ctx;
	strbuf_addf(&s->lines, "%s\n", line);
}

/* What is printed, in *text; the caller's. */
static struct strobe_error *print(struct report_fixture *f, const struct recorded_print_options *o, struct said *said, struct strbuf *text)
{
	struct out out;
	*text = (struct strbuf){};
	*said = (struct said){};
	f->host = (struct session_host){ .say = say, .ctx = said };
	fixture_open(f);
	out_init_mem(&out);
	struct strobe_error *err = recorded_print(&f->r, o, &out);
	size_t n;
	const char *printed = out_mem(&out, &n);
	strbuf_add(text, printed, n);
	assert_ok(out_close(&out));
	fixture_end(f);
	return err;
}

static void finish(struct said *said, struct strbuf *text)
{
	strbuf_deinit(text);
	strbuf_deinit(&said->lines);
}

/* alpha has 15 of 29, beta 14. */
static void rows_as_text_and_csv(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	fixture_begin(&f, "comm");
	assert_ok(print(&f, &(struct recorded_print_options){}, &said, &text));
	assert_non_null(strstr(strbuf_str(&text), "# Samples: 5"));
	assert_non_null(strstr(strbuf_str(&text), "51.72%  alpha"));
	assert_non_null(strstr(strbuf_str(&text), "48.28%  beta"));
	assert_string_equal(strbuf_str(&said.lines), "");
	finish(&said, &text);
	fixture_begin(&f, "comm");
	assert_ok(print(&f, &(struct recorded_print_options){ .format = RECORDED_CSV }, &said, &text));
	assert_null(strchr(strbuf_str(&text), '#'));
	assert_non_null(strstr(strbuf_str(&text), ",alpha"));
	finish(&said, &text);
}

static void quiet_rows_have_no_head(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	fixture_begin(&f, "comm");
	f.request.display.quiet = true;
	assert_ok(print(&f, &(struct recorded_print_options){}, &said, &text));
	assert_null(strchr(strbuf_str(&text), '#'));
	assert_non_null(strstr(strbuf_str(&text), "51.72%  alpha"));
	finish(&said, &text);
}

static void a_filter_on_one_name_is_named(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	fixture_begin(&f, "comm,pid");
	f.request.filter.comms = "beta";
	assert_ok(print(&f, &(struct recorded_print_options){}, &said, &text));
	assert_non_null(strstr(strbuf_str(&text), "# comm: beta\n"));
	assert_null(strstr(strbuf_str(&text), "alpha"));
	finish(&said, &text);
}

static void what_leaves_nothing_is_said(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	fixture_begin(&f, "comm");
	f.request.selection.times = "5.0,6.0";
	f.request.selection.input = f.path;
	assert_ok(print(&f, &(struct recorded_print_options){}, &said, &text));
	assert_non_null(strstr(strbuf_str(&said.lines), f.path));
	finish(&said, &text);
}

static struct strobe_error *draw(void *ctx, struct report_session *r)
{
	struct said *s = ctx;
	s->drawn = r->profile->rows.len;
	return error_create(ERROR_OTHER, "drawn");
}

static void a_picture_takes_the_place_of_rows(void **state)
{
	struct report_fixture f;
	struct said said, drawn = {};
	struct strbuf text;
	fixture_begin(&f, "comm");
	assert_fails(print(&f, &(struct recorded_print_options){ .draw = draw, .ctx = &drawn }, &said, &text), ERROR_OTHER);
	assert_int_equal(drawn.drawn, 2);
	assert_string_equal(strbuf_str(&text), "");
	finish(&said, &text);
}

/* Two COMM records and five samples. */
static void numbers_of_records_and_tasks(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	fixture_begin(&f, "comm");
	assert_ok(print(&f, &(struct recorded_print_options){ .stats = true, .tasks = true }, &said, &text));
	assert_non_null(strstr(strbuf_str(&text), "COMM events:          2"));
	assert_non_null(strstr(strbuf_str(&text), "SAMPLE events:          5"));
	assert_non_null(strstr(strbuf_str(&text), "alpha"));
	assert_null(strstr(strbuf_str(&text), "51.72%"));
	finish(&said, &text);
}

static void every_record(void **state)
{
	struct report_fixture f;
	struct said said;
	struct strbuf text;
	unsigned samples = 0;
	fixture_begin(&f, "comm");
	assert_ok(print(&f, &(struct recorded_print_options){ .raw = true, .disable_order = true }, &said, &text));
	for (const char *at = strbuf_str(&text); (at = strstr(at, "PERF_RECORD_SAMPLE")); at++)
		samples++;
	assert_int_equal(samples, 5);
	finish(&said, &text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_as_text_and_csv),
		cmocka_unit_test(quiet_rows_have_no_head),
		cmocka_unit_test(a_filter_on_one_name_is_named),
		cmocka_unit_test(what_leaves_nothing_is_said),
		cmocka_unit_test(a_picture_takes_the_place_of_rows),
		cmocka_unit_test(numbers_of_records_and_tasks),
		cmocka_unit_test(every_record),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
