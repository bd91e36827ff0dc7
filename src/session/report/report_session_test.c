/* A recording that is built here, from its request to rows and times; all expected numbers are computed by hand. */
#include "base/testing.h"

#include <stdlib.h>

#include "session/report/testing.h"
#include "session/report/times.h"

static void read_report(struct report_fixture *f, struct report_built *b)
{
	struct strobe_error *damage;
	fixture_open(f);
	assert_ok(report_prepare(&f->r));
	assert_ok(report_aggregate(&f->r, &damage));
	assert_null(damage);
	report_elide(&f->r.query, f->r.profile);
	assert_ok(report_build(&f->r, b));
	assert_int_equal(b->report.parts_nr, 1);
}

static void assert_row(const struct hist *h, uint32_t i, const char *comm, uint64_t samples, uint64_t period)
{
	const struct hist_entry *e = &h->entries.data[h->order[i]];
	uint32_t column = profile_find_column(h->profile, "comm");
	assert_string_equal(profile_str(h->profile, (str_id)hist_label(h, e, column, 0)), comm);
	assert_int_equal(hist_stats(h, e)->samples, samples);
	assert_int_equal(hist_stats(h, e)->period, period);
}

static void rows_by_task(void **state)
{
	struct report_fixture f;
	struct report_built b = {};
	fixture_begin(&f, "comm");
	read_report(&f, &b);
	assert_int_equal(b.parts[0].samples, 5);
	assert_int_equal(b.parts[0].period, 29);
	assert_int_equal(b.parts[0].hist->order_nr, 2);
	assert_row(b.parts[0].hist, 0, "alpha", 3, 15);
	assert_row(b.parts[0].hist, 1, "beta", 2, 14);
	report_built_deinit(&f.r, &b);
	fixture_end(&f);
}

static void spans_leave_samples_out(void **state)
{
	struct report_fixture f;
	struct report_built b = {};
	fixture_begin(&f, "comm");
	f.request.selection.times = "1.15,1.35"; /* one of each */
	read_report(&f, &b);
	assert_int_equal(b.parts[0].samples, 2);
	assert_row(b.parts[0].hist, 0, "beta", 1, 7);
	assert_row(b.parts[0].hist, 1, "alpha", 1, 5);
	report_built_deinit(&f.r, &b);
	fixture_end(&f);
}

/* Steps begin at multiples of their length. */
static void samples_over_time(void **state)
{
	struct report_fixture f;
	struct report_built b = {};
	struct time_counts t;
	fixture_begin(&f, "comm");
	read_report(&f, &b);
	/* 0.4 s in two steps, and 1 ns more each: 1000 | 1100 1200 | 1300 1400 ms, from the 4th multiple on. */
	assert_ok(report_count_times(&f.r, &b.parts[0], (struct time_range){}, 3, &t));
	assert_int_equal(t.span.from_ns, 1000 * MS);
	assert_int_equal(t.span.to_ns, 1400 * MS);
	assert_int_equal(t.step_ns, 200 * MS + 1);
	assert_int_equal(t.first_ns, 4 * (200 * MS + 1));
	assert_int_equal(t.nr, 3);
	assert_memory_equal(t.samples, ((const uint64_t[]){ 1, 2, 2 }), 3 * sizeof(uint64_t));
	free(t.samples);
	/* 0.3 s in two steps: 1000 | 1100 1200 | 1300 ms, from the 6th multiple on; 1400 is in the next step. */
	assert_ok(report_count_times(&f.r, &b.parts[0], (struct time_range){ 1050 * MS, 1350 * MS }, 3, &t));
	assert_int_equal(t.first_ns, 6 * (150 * MS + 1));
	assert_int_equal(t.nr, 3);
	assert_memory_equal(t.samples, ((const uint64_t[]){ 1, 2, 1 }), 3 * sizeof(uint64_t));
	free(t.samples);
	/* The report is as it was. */
	assert_row(b.parts[0].hist, 0, "alpha", 3, 15);
	report_built_deinit(&f.r, &b);
	fixture_end(&f);
}

static void what_was_not_recorded_is_an_error(void **state)
{
	struct report_fixture f;
	fixture_begin(&f, "comm");
	f.request.selection.branch_stack = true;
	fixture_open(&f);
	assert_fails(report_prepare(&f.r), ERROR_USAGE);
	fixture_end(&f);
	fixture_begin(&f, "comm");
	f.request.selection.mem_mode = true;
	fixture_open(&f);
	assert_fails(report_prepare(&f.r), ERROR_USAGE);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_by_task),
		cmocka_unit_test(spans_leave_samples_out),
		cmocka_unit_test(samples_over_time),
		cmocka_unit_test(what_was_not_recorded_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
