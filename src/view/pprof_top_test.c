#include "base/testing.h"

#include "view/pprof_top.h"

static frame_id frame(struct profile *p, const char *name)
{
	struct profile_function f = {
		.mapping = PROFILE_NONE,
		.name = strtab_add(&p->strings, name),
		.file = strtab_add(&p->strings, "m.c"),
	};
	struct profile_frame fr = { .mapping = PROFILE_NONE, .function = profile_function(p, &f) };
	return profile_frame(p, &fr);
}

static int64_t value_of(const struct profile *p, const char *event, const char *function)
{
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		const struct profile_frame *f = &p->frames.data[p->stacks.data[row->stack].frame];
		if (!strcmp(profile_event_name(p, row->event), event) &&
		    !strcmp(profile_str(p, p->functions.data[f->function].name), function))
			return (int64_t)row->value;
	}
	fail_msg("there is no %s of %s", event, function);
	return 0;
}

/* main itself 2 ms, f called from it 6 ms. */
static void top_is_a_sample_for_each_function(void **state)
{
	struct profile *p = profile_create();
	p->origin.events_are_values = true;
	p->origin.period = 10;
	p->duration_ns = 77;
	uint32_t e = profile_event(p, "cpu", "nanoseconds");
	labels_id none = profile_labels(p, NULL);
	stack_id main_stack = profile_stack(p, PROFILE_NONE, frame(p, "main"));
	profile_add(p, main_stack, none, e, 1, 2000000, 0);
	profile_add(p, profile_stack(p, main_stack, frame(p, "f")), none, e, 1, 6000000, 0);
	struct profile *top = pprof_top_profile(p, &(struct pprof_graph_options){ .event = e, .divide_by = 1, .unit = "ms" });
	assert_int_equal(top->events.len, 2);
	assert_string_equal(profile_str(top, top->events.data[0].unit), "ms");
	assert_int_equal(top->rows.len, 4);
	assert_int_equal(value_of(top, "flat", "main"), 2);
	assert_int_equal(value_of(top, "cum", "main"), 8);
	assert_int_equal(value_of(top, "flat", "f"), 6);
	assert_int_equal(value_of(top, "cum", "f"), 6);
	assert_int_equal(top->origin.period, 10);
	assert_int_equal(top->duration_ns, 77);
	for (size_t i = 0; i < top->stacks.len; i++)
		assert_int_equal(top->stacks.data[i].depth, 1);
	profile_destroy(top);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(top_is_a_sample_for_each_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
