/* Slices added one after the other; the expected counts are computed by hand. */
#include "profile/history.h"

#include <stdio.h>

#include "base/testing.h"

/* A slice of one event in which function f has samples[f] samples, each of period 10. */
static struct profile *slice_of(const unsigned *samples, unsigned n)
{
	struct profile *p = profile_create();
	profile_event(p, "cycles", "");
	for (unsigned f = 0; f < n; f++) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", f);
		struct profile_function fn = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, name) };
		struct profile_frame frame = { .mapping = PROFILE_NONE, .function = profile_function(p, &fn) };
		stack_id s = profile_stack(p, PROFILE_NONE, profile_frame(p, &frame));
		if (samples[f])
			profile_add(p, s, profile_labels(p, NULL), 0, samples[f], samples[f] * 10ull, 0);
	}
	return p;
}

static uint64_t samples_of(const struct profile *p, const char *name)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_frame *f = &p->frames.data[p->stacks.data[p->rows.data[i].stack].frame];
		if (!strcmp(profile_str(p, p->functions.data[f->function].name), name))
			sum += p->rows.data[i].samples;
	}
	return sum;
}

static void add(struct history *h, unsigned a, unsigned b)
{
	history_add(h, slice_of((unsigned[]){ a, b }, 2), h->added * 100, h->added * 100 + 100);
}

static void fades_by_an_eighth(void **state)
{
	struct history h;
	history_init(&h, HISTORY_FADE, 100);
	add(&h, 64, 0);
	assert_int_equal(samples_of(h.profile, "f0"), 64);
	add(&h, 8, 1);
	assert_int_equal(samples_of(h.profile, "f0"), 64 * 7 / 8 + 8);
	assert_int_equal(samples_of(h.profile, "f1"), 1);
	assert_int_equal(h.profile->events.data[0].samples, 65);
	assert_int_equal(h.profile->events.data[0].value, 650);
	add(&h, 0, 0);
	assert_int_equal(samples_of(h.profile, "f0"), 56);
	assert_int_equal(samples_of(h.profile, "f1"), 0); /* 7/8 of one is none */
	history_zero(&h);
	assert_int_equal(h.profile->events.data[0].samples, 0); /* at once */
	history_show(&h);
	assert_int_equal(h.profile->events.data[0].samples, 0);
	history_deinit(&h);
}

static void shows_the_last_and_all(void **state)
{
	struct history h;
	history_init(&h, HISTORY_LAST, 100);
	add(&h, 5, 0);
	add(&h, 0, 7);
	assert_int_equal(samples_of(h.profile, "f0"), 0);
	assert_int_equal(samples_of(h.profile, "f1"), 7);
	h.mode = HISTORY_ALL;
	history_show(&h);
	assert_int_equal(samples_of(h.profile, "f0"), 5);
	assert_int_equal(samples_of(h.profile, "f1"), 7);
	history_deinit(&h);
}

static void steps_back(void **state)
{
	struct history h;
	history_init(&h, HISTORY_FADE, 4);
	for (unsigned i = 1; i <= 5; i++)
		add(&h, i, 0);
	/* One row each, and no more than four are remembered. */
	assert_int_equal(h.slices.len, 4);
	assert_int_equal(h.slices.data[0].start_ns, 100);
	history_show_span(&h, 0, 1);
	assert_int_equal(samples_of(h.profile, "f0"), 2 + 3);
	history_show_span(&h, 3, 3);
	assert_int_equal(samples_of(h.profile, "f0"), 5);
	history_show_span(&h, 3, 99); /* as far as there is something */
	assert_int_equal(samples_of(h.profile, "f0"), 5);
	history_deinit(&h);
}

/* Ten thousand new functions in each slice: of those that faded away nothing stays, and what stays is still right. */
static void forgets_what_is_gone(void **state)
{
	enum { NEW = 10000 };
	struct history h;
	size_t most = 0;
	history_init(&h, HISTORY_FADE, 2 * NEW);
	for (unsigned round = 0; round < 30; round++) {
		struct profile *p = slice_of((unsigned[]){ 80 }, 1);
		for (unsigned i = 0; i < NEW; i++) {
			struct profile_frame frame = { .mapping = PROFILE_NONE, .function = PROFILE_NONE,
						       .addr = round * NEW + i, .ip = round * NEW + i };
			/* Unlike names, addresses without a mapping are distinguished by address alone. */
			stack_id s = profile_stack(p, PROFILE_NONE, profile_frame(p, &frame));
			struct profile_function fn = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, "g"),
						       .start = frame.addr };
			frame.function = profile_function(p, &fn);
			s = profile_stack(p, s, profile_frame(p, &frame));
			profile_add(p, s, profile_labels(p, NULL), 0, 1, 10, 0);
		}
		history_add(&h, p, round, round + 1);
		most = h.profile->rows.len > most ? h.profile->rows.len : most;
	}
	assert_true(most < 6 * NEW);
	assert_true(h.profile->stacks.len < 12 * NEW);
	/* 80, then 80 * 7/8 + 80 and so on, each step rounded down. */
	uint64_t expected = 0;
	for (unsigned round = 0; round < 30; round++)
		expected = expected * 7 / 8 + 80;
	assert_int_equal(samples_of(h.profile, "f0"), expected);
	history_show_span(&h, h.slices.len - 1, h.slices.len - 1);
	assert_int_equal(samples_of(h.profile, "g"), NEW);
	history_deinit(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fades_by_an_eighth),
		cmocka_unit_test(shows_the_last_and_all),
		cmocka_unit_test(steps_back),
		cmocka_unit_test(forgets_what_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
