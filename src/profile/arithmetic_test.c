#include "base/testing.h"

#include "profile/arithmetic.h"

/* Functions of one letter each, outermost first. */
static stack_id stack_of(struct profile *p, const char *names)
{
	stack_id s = PROFILE_NONE;
	for (; *names; names++) {
		struct profile_function f = {
			.mapping = PROFILE_NONE,
			.name = strtab_add(&p->strings, (char[]){ *names, 0 }),
		};
		struct profile_frame fr = {
			.mapping = PROFILE_NONE,
			.function = profile_function(p, &f),
			.addr = (uint64_t)*names,
			.ip = (uint64_t)*names,
		};
		s = profile_stack(p, s, profile_frame(p, &fr));
	}
	return s;
}

static void add(struct profile *p, const char *stack, uint32_t event, int64_t samples, int64_t value, int64_t weight)
{
	profile_add(p, stack_of(p, stack), PROFILE_NONE, event, (uint64_t)samples, (uint64_t)value, (uint64_t)weight);
}

static char innermost(const struct profile *p, stack_id s)
{
	const struct profile_frame *f = &p->frames.data[p->stacks.data[s].frame];
	return *profile_str(p, p->functions.data[f->function].name);
}

/* The only row of that event whose innermost function is this; fails if there is none. */
static const struct profile_row *row_of(const struct profile *p, uint32_t event, char function)
{
	const struct profile_row *found = NULL;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != event || innermost(p, row->stack) != function)
			continue;
		assert_null(found);
		found = row;
	}
	assert_non_null(found);
	return found;
}

static int64_t value_of(const struct profile *p, uint32_t event, char function)
{
	return (int64_t)row_of(p, event, function)->value;
}

/* Two events; of cycles 100 in a, 50 in b, of faults 7 in a. */
static struct profile *before(void)
{
	struct profile *p = profile_create();
	uint32_t cycles = profile_event(p, "cycles", ""), faults = profile_event(p, "faults", "");
	add(p, "ma", cycles, 10, 100, 3);
	add(p, "mb", cycles, 5, 50, 0);
	add(p, "ma", faults, 2, 7, 0);
	p->start_ns = 1000;
	p->duration_ns = 500;
	p->events.data[cycles].lost = 4;
	return p;
}

/* Events in another order; of cycles 30 in a, 50 in b, 25 in c. */
static struct profile *base(void)
{
	struct profile *p = profile_create();
	uint32_t faults = profile_event(p, "faults", ""), cycles = profile_event(p, "cycles", "");
	add(p, "mc", cycles, 1, 25, 0);
	add(p, "ma", cycles, 3, 30, 1);
	add(p, "mb", cycles, 5, 50, 0);
	add(p, "ma", faults, 1, 2, 0);
	p->start_ns = 3000;
	p->duration_ns = 700;
	return p;
}

static struct profile *of_one_value(const char *event, int64_t value)
{
	struct profile *p = profile_create();
	add(p, "a", profile_event(p, event, ""), 1, value, 0);
	return p;
}

static struct profile *empty(void)
{
	struct profile *p = profile_create();
	profile_event(p, "cycles", "");
	return p;
}

static void less_and_more_cancel_out_in_the_net_only(void **state)
{
	struct profile *p = profile_create();
	uint32_t e = profile_event(p, "bytes", "bytes"), other = profile_event(p, "objects", "count");
	add(p, "a", e, 1, 30, 0);
	add(p, "b", e, 1, -12, 0);
	add(p, "a", other, 1, 1000, 0);
	assert_int_equal(profile_net_value(p, e), 18);
	assert_int_equal(profile_gross_value(p, e), 42);
	add(p, "c", e, 1, INT64_MAX, 0);
	assert_int_equal(profile_net_value(p, e), INT64_MAX);
	assert_int_equal(profile_gross_value(p, e), INT64_MAX);
	profile_destroy(p);

	p = of_one_value("cycles", INT64_MIN);
	assert_int_equal(profile_net_value(p, 0), INT64_MIN);
	assert_int_equal(profile_gross_value(p, 0), INT64_MAX);
	profile_destroy(p);
}

static void a_copy_is_apart(void **state)
{
	struct profile *p = before();
	vec_push(&p->log, ((struct profile_log_entry){ 1000, 0, 1, 1 }));
	p->log_dropped = 9;
	/* the first is the program itself, though it has no row */
	profile_mapping(p, &(struct profile_mapping){ .name = strtab_add(&p->strings, "program") });
	struct profile *copy = profile_copy(p);
	assert_int_equal(copy->rows.len, 3);
	assert_int_equal(value_of(copy, 0, 'b'), 50);
	assert_int_equal(row_of(copy, 0, 'a')->weight, 3);
	assert_int_equal(copy->events.data[0].lost, 4);
	assert_int_equal(copy->events.data[0].value, 150);
	assert_int_equal(copy->start_ns, 1000);
	assert_int_equal(copy->duration_ns, 500);
	assert_int_equal(copy->log.len, 1);
	assert_int_equal(copy->log.data[0].row, 1);
	assert_int_equal(copy->log_dropped, 9);
	assert_int_equal(copy->mappings.len, 1);
	assert_string_equal(profile_str(copy, copy->mappings.data[0].name), "program");
	profile_destroy(p);
	assert_int_equal(value_of(copy, 1, 'a'), 7); /* nothing of it was borrowed */
	profile_destroy(copy);
}

static void scaling_rounds_halves_away_from_zero(void **state)
{
	struct profile *p = profile_create();
	uint32_t e = profile_event(p, "x", ""), other = profile_event(p, "y", "");
	add(p, "a", e, 3, 5, 8);   /* 2.5 */
	add(p, "b", e, 1, -5, 0);  /* -2.5 */
	add(p, "c", e, 1, 1, 0);   /* 0.5 */
	add(p, "a", other, 1, 5, 0);
	struct profile *half = profile_scale(p, (double[]){ 0.5, 1 });
	assert_int_equal(value_of(half, e, 'a'), 3);
	assert_int_equal(value_of(half, e, 'b'), -3);
	assert_int_equal(value_of(half, e, 'c'), 1);
	assert_int_equal(value_of(half, other, 'a'), 5);
	assert_int_equal(row_of(half, e, 'a')->samples, 3);
	assert_int_equal(row_of(half, e, 'a')->weight, 8);
	assert_int_equal(half->events.data[e].value, 1);
	assert_int_equal(value_of(p, e, 'a'), 5); /* as it was */
	profile_destroy(half);
	profile_destroy(p);
}

static void scaling_saturates(void **state)
{
	static const struct {
		int64_t value;
		double factor;
		int64_t expected;
	} cases[] = {
		{ INT64_MAX, 1, INT64_MAX },
		{ INT64_MAX - 1, 1, INT64_MAX - 1 }, /* no way through a double, which has 53 bits */
		{ INT64_MAX, 2, INT64_MAX },
		{ INT64_MIN, 1.5, INT64_MIN },
		{ INT64_MIN, -1, INT64_MAX },
		{ 1, 1e300, INT64_MAX },
		{ -1, 1e300, INT64_MIN },
		{ 7, 0, 0 },
		{ 0, __builtin_inf(), 0 }, /* not a number */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = of_one_value("x", cases[i].value);
		struct profile *made = profile_scale(p, &cases[i].factor);
		assert_int_equal(value_of(made, 0, 'a'), cases[i].expected);
		profile_destroy(made);
		profile_destroy(p);
	}
}

static void division_cuts_off(void **state)
{
	struct profile *p = profile_create();
	uint32_t e = profile_event(p, "x", ""), other = profile_event(p, "y", "");
	add(p, "a", e, 3, 7, 8);
	add(p, "b", e, 1, -7, 0);
	add(p, "c", other, 1, INT64_MAX, 0);
	struct profile *half = profile_divide(p, 2), *same = profile_divide(p, 1), *many = profile_divide(p, -0.25);
	assert_int_equal(value_of(half, e, 'a'), 3);
	assert_int_equal(value_of(half, e, 'b'), -3);
	assert_int_equal(row_of(half, e, 'a')->samples, 3);
	assert_int_equal(value_of(same, other, 'c'), INT64_MAX);
	assert_int_equal(value_of(many, e, 'a'), -28);
	assert_int_equal(value_of(many, other, 'c'), INT64_MIN);
	profile_destroy(half);
	profile_destroy(same);
	profile_destroy(many);
	profile_destroy(p);
}

static void negating_turns_all_numbers(void **state)
{
	struct profile *p = before();
	struct profile *negative = profile_negate(p);
	const struct profile_row *a = row_of(negative, 0, 'a');
	assert_int_equal(a->value, -100);
	assert_int_equal(a->samples, -10);
	assert_int_equal(a->weight, -3);
	assert_int_equal(negative->events.data[0].value, -150);
	assert_int_equal(negative->events.data[1].samples, -2);
	profile_destroy(negative);
	profile_destroy(p);

	p = of_one_value("x", INT64_MIN);
	negative = profile_negate(p);
	assert_int_equal(value_of(negative, 0, 'a'), INT64_MAX);
	profile_destroy(negative);
	profile_destroy(p);
}

static void normalizing_takes_each_event_to_the_base(void **state)
{
	struct profile *p = before(), *b = base();
	struct profile *made = profile_normalize(p, b);
	/* cycles 150 to 105: times 0.7; faults 7 to 2 */
	assert_int_equal(value_of(made, 0, 'a'), 70);
	assert_int_equal(value_of(made, 0, 'b'), 35);
	assert_int_equal(value_of(made, 1, 'a'), 2);
	profile_destroy(made);
	profile_destroy(p);
	profile_destroy(b);
}

static void normalizing_where_a_total_is_zero(void **state)
{
	struct profile *p = profile_create(), *some = of_one_value("x", 8), *none = of_one_value("x", 0), *other = of_one_value("y", 9);
	uint32_t e = profile_event(p, "x", "");
	add(p, "a", e, 1, 4, 0);
	add(p, "b", e, 1, -4, 0);
	struct profile *made = profile_normalize(p, some);
	assert_int_equal(value_of(made, e, 'a'), 0); /* no factor makes 8 of 0 */
	assert_int_equal(value_of(made, e, 'b'), 0);
	profile_destroy(made);
	made = profile_normalize(p, none);
	assert_int_equal(value_of(made, e, 'a'), 4); /* 0 to 0 */
	profile_destroy(made);
	made = profile_normalize(some, none);
	assert_int_equal(value_of(made, e, 'a'), 0);
	profile_destroy(made);
	made = profile_normalize(some, other);
	assert_int_equal(value_of(made, e, 'a'), 8); /* the base says nothing of it */
	profile_destroy(made);
	profile_destroy(p);
	profile_destroy(some);
	profile_destroy(none);
	profile_destroy(other);
}

static void a_difference_has_what_either_has(void **state)
{
	struct profile *p = before(), *b = base();
	vec_push(&p->log, ((struct profile_log_entry){ 1000, 0, 1, 1 }));
	struct profile *d = profile_subtract(p, b, &(struct profile_difference){});
	assert_int_equal(d->events.len, 2);
	assert_int_equal(d->rows.len, 4);
	assert_int_equal(value_of(d, 0, 'a'), 70);
	assert_int_equal(row_of(d, 0, 'a')->samples, 7);
	assert_int_equal(row_of(d, 0, 'a')->weight, 2);
	assert_int_equal(value_of(d, 0, 'b'), 0);
	assert_int_equal(value_of(d, 0, 'c'), -25);
	assert_int_equal(value_of(d, 1, 'a'), 5);
	assert_int_equal(profile_net_value(d, 0), 45);
	assert_int_equal(profile_gross_value(d, 0), 95);
	/* what was measured */
	assert_int_equal(d->events.data[0].value, 150);
	assert_int_equal(d->events.data[0].samples, 15);
	assert_int_equal(d->events.data[0].lost, 4);
	assert_int_equal(d->start_ns, 1000);
	assert_int_equal(d->duration_ns, 500);
	assert_int_equal(d->log.len, 0);

	struct profile *left = profile_drop_zero(d);
	assert_int_equal(left->rows.len, 3); /* b is gone */
	assert_int_equal(value_of(left, 0, 'c'), -25);
	profile_destroy(left);
	profile_destroy(d);
	assert_int_equal(value_of(b, 1, 'a'), 30); /* as it was */
	assert_int_equal(value_of(p, 0, 'a'), 100);
	profile_destroy(p);
	profile_destroy(b);
}

static void a_difference_saturates(void **state)
{
	struct profile *most = of_one_value("x", INT64_MAX), *less = of_one_value("x", -1), *least = of_one_value("x", INT64_MIN);
	struct profile *d = profile_subtract(most, less, &(struct profile_difference){});
	assert_int_equal(value_of(d, 0, 'a'), INT64_MAX);
	profile_destroy(d);
	d = profile_subtract(least, most, &(struct profile_difference){});
	assert_int_equal(value_of(d, 0, 'a'), INT64_MIN);
	profile_destroy(d);
	profile_destroy(most);
	profile_destroy(less);
	profile_destroy(least);
}

static void a_labelled_base_stays_apart(void **state)
{
	struct profile *p = profile_create(), *b = profile_create();
	uint32_t cpu = profile_column(p, "cpu", COLUMN_U64), comm = profile_column(b, "comm", COLUMN_STRING);
	profile_event(p, "x", "");
	profile_event(b, "x", "");
	profile_add(p, stack_of(p, "a"), profile_labels(p, (uint64_t[]){ 3 }), 0, 1, 10, 0);
	profile_add(b, stack_of(b, "a"), profile_labels(b, (uint64_t[]){ strtab_add(&b->strings, "sh") }), 0, 1, 4, 0);
	add(b, "b", 0, 1, 6, 0); /* no labels */
	assert_int_equal(cpu, 0);
	assert_int_equal(comm, 0);
	struct profile *d = profile_subtract(p, b, &(struct profile_difference){ .base_label = "side" });
	assert_int_equal(d->rows.len, 3);
	assert_int_equal(d->columns.len, 3);
	uint32_t side = profile_find_column(d, "side");
	const int64_t expected[] = { 10, -4, -6 };
	const char *const sides[] = { "", "true", "true" }, *const comms[] = { "", "sh", "" };
	for (size_t i = 0; i < 3; i++) {
		const uint64_t *values = profile_label_values(d, d->rows.data[i].labels);
		assert_int_equal(d->rows.data[i].value, expected[i]);
		assert_string_equal(profile_str(d, (str_id)values[side]), sides[i]);
		assert_string_equal(profile_str(d, (str_id)values[profile_find_column(d, "comm")]), comms[i]);
		assert_int_equal(values[profile_find_column(d, "cpu")], i ? 0 : 3);
	}
	profile_destroy(d);
	profile_destroy(p);
	profile_destroy(b);
}

static void single_events_are_compared_on_request(void **state)
{
	struct profile *p = of_one_value("cycles", 10), *b = of_one_value("cycles:u", 4);
	struct profile *d = profile_subtract(p, b, &(struct profile_difference){});
	assert_int_equal(d->events.len, 2);
	assert_int_equal(d->events.data[1].value, -4);
	profile_destroy(d);
	d = profile_subtract(p, b, &(struct profile_difference){ .match_single = true });
	assert_int_equal(d->events.len, 1);
	assert_string_equal(profile_event_name(d, 0), "cycles");
	assert_int_equal(value_of(d, 0, 'a'), 6);
	profile_destroy(d);
	profile_destroy(p);
	profile_destroy(b);
}

static void durations_of_measured_programs_add_up_on_request(void **state)
{
	struct profile *p = before(), *b = base();
	p->origin.events_are_values = b->origin.events_are_values = true;
	struct profile *d = profile_subtract(p, b, &(struct profile_difference){ .sums_durations = true });
	assert_int_equal(d->duration_ns, 1200);
	profile_destroy(d);
	profile_destroy(p);
	profile_destroy(b);
}

static void empty_profiles_are_operands_too(void **state)
{
	struct profile *p = of_one_value("cycles", 10), *none = empty(), *bare = profile_create();
	struct profile *d = profile_subtract(p, none, &(struct profile_difference){});
	assert_int_equal(value_of(d, 0, 'a'), 10);
	profile_destroy(d);
	d = profile_subtract(none, p, &(struct profile_difference){});
	assert_int_equal(value_of(d, 0, 'a'), -10);
	profile_destroy(d);
	d = profile_subtract(bare, bare, &(struct profile_difference){ .base_label = "side" });
	assert_int_equal(d->rows.len + d->events.len, 0);
	profile_destroy(d);
	d = profile_normalize(none, p);
	assert_int_equal(d->rows.len, 0);
	profile_destroy(d);
	d = profile_join(bare, p, "base: ", NULL);
	assert_string_equal(profile_event_name(d, 0), "base: cycles");
	assert_int_equal(value_of(d, 0, 'a'), 10);
	profile_destroy(d);
	profile_destroy(p);
	profile_destroy(none);
	profile_destroy(bare);
}

static void a_joined_base_has_events_of_its_own(void **state)
{
	struct profile *p = before(), *b = base();
	uint32_t events[2];
	vec_push(&p->log, ((struct profile_log_entry){ 1000, 0, 1, 1 }));
	vec_push(&b->log, ((struct profile_log_entry){ 3000, 0, 1, 1 }));
	b->events.data[1].leader = 0;
	struct profile *j = profile_join(p, b, "base: ", events);
	assert_int_equal(j->events.len, 4);
	assert_int_equal(events[0], 2);
	assert_int_equal(events[1], 3);
	assert_string_equal(profile_event_name(j, 0), "cycles");
	assert_string_equal(profile_event_name(j, 2), "base: faults");
	assert_string_equal(profile_event_name(j, 3), "base: cycles");
	assert_int_equal(j->events.data[2].leader, 2);
	assert_int_equal(j->events.data[3].leader, 2);
	assert_int_equal(j->events.data[0].value, 150);
	assert_int_equal(j->events.data[3].value, 105);
	assert_int_equal(j->rows.len, 7);
	assert_int_equal(row_of(j, 0, 'a')->stack, row_of(j, 3, 'a')->stack);
	assert_int_equal(value_of(j, 3, 'c'), 25);
	assert_int_equal(j->duration_ns, 500);
	assert_int_equal(j->log.len, 1);
	assert_int_equal(j->log.data[0].time_ns, 1000);
	profile_destroy(j);
	profile_destroy(p);
	profile_destroy(b);
}

static void a_joined_single_event_is_called_as_the_other(void **state)
{
	struct profile *p = of_one_value("cycles", 10), *b = of_one_value("cycles:u", 4);
	struct profile *j = profile_join(p, b, "base: ", NULL);
	assert_int_equal(j->events.len, 2);
	assert_string_equal(profile_event_name(j, 1), "base: cycles");
	assert_int_equal(value_of(j, 0, 'a'), 10);
	assert_int_equal(value_of(j, 1, 'a'), 4);
	profile_destroy(j);
	profile_destroy(p);
	profile_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(less_and_more_cancel_out_in_the_net_only),
		cmocka_unit_test(a_copy_is_apart),
		cmocka_unit_test(scaling_rounds_halves_away_from_zero),
		cmocka_unit_test(scaling_saturates),
		cmocka_unit_test(division_cuts_off),
		cmocka_unit_test(negating_turns_all_numbers),
		cmocka_unit_test(normalizing_takes_each_event_to_the_base),
		cmocka_unit_test(normalizing_where_a_total_is_zero),
		cmocka_unit_test(a_difference_has_what_either_has),
		cmocka_unit_test(a_difference_saturates),
		cmocka_unit_test(a_labelled_base_stays_apart),
		cmocka_unit_test(single_events_are_compared_on_request),
		cmocka_unit_test(durations_of_measured_programs_add_up_on_request),
		cmocka_unit_test(empty_profiles_are_operands_too),
		cmocka_unit_test(a_joined_base_has_events_of_its_own),
		cmocka_unit_test(a_joined_single_event_is_called_as_the_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
