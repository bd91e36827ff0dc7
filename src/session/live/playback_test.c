/* Which slices of a history are shown; the counts are computed by hand. */
#include "session/live/playback.h"

#include <stdlib.h>

#include "base/testing.h"

#define SECOND 1000000000ull

/* One event with so many samples of one stack. */
static struct profile *slice_of(uint64_t samples)
{
	struct profile *p = profile_create();
	profile_event(p, "cycles", "");
	profile_add(p, PROFILE_NONE, profile_labels(p, NULL), 0, samples, samples, 0);
	return p;
}

static void add(struct history *h, uint64_t samples, uint64_t start_ns, uint64_t end_ns)
{
	history_add(h, slice_of(samples), start_ns, end_ns);
}

static uint64_t shown(const struct playback *p)
{
	return p->history->profile->events.data[0].samples;
}

/* A slice of no time at 100 s, then three of a second each, with 1, 2, 4 and 8 samples. */
static void begin(struct history *h, struct playback *p)
{
	history_init(h, HISTORY_ALL, 1000);
	playback_init(p, h, 100 * SECOND);
	add(h, 1, 100 * SECOND, 100 * SECOND);
	add(h, 2, 100 * SECOND, 101 * SECOND);
	add(h, 4, 101 * SECOND, 102 * SECOND);
	add(h, 8, 102 * SECOND, 103 * SECOND);
}

static void end(struct history *h, struct playback *p)
{
	playback_deinit(p);
	history_deinit(h);
}

static void shows_all_until_paused(void **state)
{
	struct history h;
	struct playback p;
	uint64_t age;
	begin(&h, &p);
	playback_show(&p);
	assert_int_equal(shown(&p), 15);
	assert_false(playback_age(&p, 104 * SECOND, &age));
	playback_pause(&p, true);
	playback_show(&p);
	assert_int_equal(shown(&p), 8);
	assert_true(playback_age(&p, 104 * SECOND, &age));
	assert_int_equal(age, 1 * SECOND);
	playback_pause(&p, false);
	playback_show(&p);
	assert_int_equal(shown(&p), 15);
	end(&h, &p);
}

static void steps_to_the_first_slice_with_time(void **state)
{
	struct history h;
	struct playback p;
	begin(&h, &p);
	playback_step(&p, -1);
	playback_show(&p);
	assert_int_equal(shown(&p), 4);
	playback_step(&p, -1);
	playback_step(&p, -1);
	playback_step(&p, -1);
	playback_show(&p);
	assert_int_equal(shown(&p), 2);
	playback_step(&p, 1);
	playback_show(&p);
	assert_int_equal(shown(&p), 4);
	playback_step(&p, 1);
	playback_step(&p, 1);
	playback_show(&p);
	assert_int_equal(shown(&p), 8);
	end(&h, &p);
}

static void stays_where_it_was_paused(void **state)
{
	struct history h;
	struct playback p;
	uint64_t age;
	begin(&h, &p);
	playback_step(&p, -1);
	add(&h, 16, 103 * SECOND, 104 * SECOND);
	playback_added(&p);
	playback_show(&p);
	assert_int_equal(shown(&p), 4);
	assert_true(playback_age(&p, 104 * SECOND, &age));
	assert_int_equal(age, 2 * SECOND);
	end(&h, &p);
}

/* What is no longer remembered cannot be shown: the oldest that is takes its place. */
static void moves_with_what_is_remembered(void **state)
{
	struct history h;
	struct playback p;
	history_init(&h, HISTORY_ALL, 3); /* slices of one row each */
	playback_init(&p, &h, 0);
	for (unsigned i = 0; i < 4; i++)
		add(&h, 1 << i, i * SECOND, (i + 1) * SECOND);
	playback_step(&p, -1);
	for (unsigned i = 4; i < 7; i++) {
		add(&h, 1 << i, i * SECOND, (i + 1) * SECOND);
		playback_added(&p);
	}
	playback_show(&p);
	assert_int_equal(shown(&p), 32); /* of 16, 32 and 64: the oldest of all counts as the one without time */
	end(&h, &p);
}

static void narrows_to_a_span(void **state)
{
	struct history h;
	struct playback p;
	uint64_t age;
	begin(&h, &p);
	assert_ok(playback_narrow(&p, (struct time_range){ 101 * SECOND + 5, 102 * SECOND + 5 }));
	playback_show(&p);
	assert_int_equal(shown(&p), 12);
	assert_false(playback_age(&p, 104 * SECOND, &age));
	assert_fails(playback_narrow(&p, (struct time_range){ 104 * SECOND, 105 * SECOND }), ERROR_NOT_FOUND);
	assert_int_equal(p.span.from_ns, 101 * SECOND + 5); /* as it was */
	assert_ok(playback_narrow(&p, (struct time_range){}));
	assert_false(p.is_paused);
	playback_show(&p);
	assert_int_equal(shown(&p), 15);
	end(&h, &p);
}

static void keeps_the_first_minute(void **state)
{
	struct history h;
	struct playback p;
	begin(&h, &p);
	playback_keep_first_minute(&p, 159 * SECOND);
	assert_null(p.first_minute);
	assert_int_equal(playback_first_minute(&p)->events.data[0].samples, 15); /* so far */
	playback_show(&p);
	add(&h, 16, 150 * SECOND, 161 * SECOND);
	add(&h, 32, 161 * SECOND, 162 * SECOND);
	playback_keep_first_minute(&p, 162 * SECOND);
	assert_int_equal(shown(&p), 63); /* of the history, as before */
	playback_pause(&p, true);
	playback_show(&p);
	assert_int_equal(playback_first_minute(&p)->events.data[0].samples, 31);
	assert_int_equal(shown(&p), 32);
	end(&h, &p);
}

static void counts_over_time(void **state)
{
	struct history h;
	struct playback p;
	struct time_counts t;
	begin(&h, &p);
	/* 3 s in steps of a little more than half a second: each slice lies in two or three of them. */
	assert_ok(playback_times(&p, (struct time_range){}, 7, &t));
	assert_int_equal(t.span.from_ns, 100 * SECOND);
	assert_int_equal(t.span.to_ns, 103 * SECOND);
	assert_int_equal(t.step_ns, SECOND / 2 + 1);
	assert_int_equal(t.nr, 6);
	/* 2 as 1 1, 4 as 1 1 2 from the second step on, 8 as 2 3 3 from the fourth */
	static const uint64_t expected[] = { 1, 2, 1, 4, 3, 3 };
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(t.samples[i], expected[i]);
	free(t.samples);
	assert_ok(playback_times(&p, (struct time_range){ 102 * SECOND + 1, 102 * SECOND + 2 }, 2, &t));
	assert_int_equal(t.span.from_ns, 102 * SECOND);
	assert_int_equal(t.nr, 1);
	assert_int_equal(t.samples[0], 8);
	free(t.samples);
	assert_fails(playback_times(&p, (struct time_range){ 104 * SECOND, 105 * SECOND }, 2, &t), ERROR_NOT_FOUND);
	end(&h, &p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_all_until_paused),
		cmocka_unit_test(steps_to_the_first_slice_with_time),
		cmocka_unit_test(stays_where_it_was_paused),
		cmocka_unit_test(moves_with_what_is_remembered),
		cmocka_unit_test(narrows_to_a_span),
		cmocka_unit_test(keeps_the_first_minute),
		cmocka_unit_test(counts_over_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
