#include "base/testing.h"

#include "profile/expand.h"
#include "profile/profile.h"
#include "profile/rewrite.h"

/* A function of the mapping "a.out", and a frame in it. */
static frame_id frame(struct profile *p, const char *name, uint64_t addr)
{
	struct profile_mapping m = { .name = strtab_add(&p->strings, "a.out"), .path = strtab_add(&p->strings, "/a.out") };
	struct profile_function f = { .mapping = profile_mapping(p, &m), .name = strtab_add(&p->strings, name) };
	struct profile_frame fr = { .mapping = f.mapping, .function = profile_function(p, &f), .addr = addr, .ip = addr };
	return profile_frame(p, &fr);
}

static stack_id stack_of(struct profile *p, const char *names)
{
	stack_id s = PROFILE_NONE;
	for (; *names; names++)
		s = profile_stack(p, s, frame(p, (char[]){ *names, 0 }, (uint64_t)*names));
	return s;
}

static labels_id comm_cpu(struct profile *p, const char *comm, uint64_t cpu)
{
	return profile_labels(p, (uint64_t[]){ strtab_add(&p->strings, comm), cpu });
}

static struct profile *sample_profile(void)
{
	struct profile *p = profile_create();
	profile_column(p, "comm", COLUMN_STRING);
	profile_column(p, "cpu", COLUMN_U64);
	uint32_t e = profile_event(p, "cycles", "");
	profile_add(p, stack_of(p, "mab"), comm_cpu(p, "x", 0), e, 1, 10, 0);
	profile_add(p, stack_of(p, "mac"), comm_cpu(p, "x", 1), e, 1, 20, 0);
	profile_add(p, stack_of(p, "mab"), comm_cpu(p, "x", 0), e, 2, 30, 5);
	return p;
}

static void equal_things_have_equal_ids(void **state)
{
	struct profile *p = sample_profile();
	assert_int_equal(p->mappings.len, 1);
	assert_int_equal(p->functions.len, 4); /* m a b c */
	assert_int_equal(p->frames.len, 4);
	assert_int_equal(p->stacks.len, 4); /* m, ma, mab, mac */
	assert_int_equal(p->rows.len, 2);
	assert_int_equal(p->rows.data[0].samples, 3);
	assert_int_equal(p->rows.data[0].value, 40);
	assert_int_equal(p->rows.data[0].weight, 5);
	assert_int_equal(p->events.data[0].samples, 4);
	assert_int_equal(p->events.data[0].value, 60);
	assert_int_equal(p->stacks.data[stack_of(p, "mab")].depth, 3);
	profile_destroy(p);
}

static void a_frame_is_the_same_wherever_it_was_seen(void **state)
{
	struct profile *p = profile_create();
	struct profile_function fn = { .mapping = PROFILE_NONE, .name = strtab_add(&p->strings, "f") };
	struct profile_frame f = { .mapping = PROFILE_NONE, .function = profile_function(p, &fn), .addr = 4, .ip = 4 };
	frame_id id = profile_frame(p, &f);
	f.ip = 5;
	assert_int_equal(profile_frame(p, &f), id);
	f.addr = 5;
	assert_int_not_equal(profile_frame(p, &f), id);
	/* Code without a name is what its address is. */
	struct profile_frame unknown = { .mapping = PROFILE_NONE, .function = PROFILE_NONE, .addr = 4, .ip = 4 };
	id = profile_frame(p, &unknown);
	unknown.ip = 5;
	assert_int_not_equal(profile_frame(p, &unknown), id);
	profile_destroy(p);
}

static void merging_adds_rows_and_brings_columns(void **state)
{
	struct profile *a = sample_profile(), *b = profile_create();
	/* Columns in another order, and one that a lacks. */
	profile_column(b, "tid", COLUMN_U64);
	profile_column(b, "cpu", COLUMN_U64);
	profile_column(b, "comm", COLUMN_STRING);
	uint32_t other = profile_event(b, "faults", ""), e = profile_event(b, "cycles", "");
	labels_id l = profile_labels(b, (uint64_t[]){ 77, 1, strtab_add(&b->strings, "x") });
	labels_id zero = profile_labels(b, (uint64_t[]){ 0, 1, strtab_add(&b->strings, "x") });
	profile_add(b, stack_of(b, "mac"), zero, e, 1, 5, 0);
	profile_add(b, stack_of(b, "mac"), l, e, 1, 6, 0);
	profile_add(b, PROFILE_NONE, l, other, 1, 1, 0);
	profile_merge(a, b);

	assert_int_equal(a->columns.len, 3);
	assert_int_equal(a->events.len, 2);
	assert_int_equal(a->events.data[0].samples, 6);
	assert_int_equal(a->events.data[0].value, 71);
	assert_int_equal(a->rows.len, 4);
	assert_int_equal(a->rows.data[1].value, 25); /* mac on cpu 1, from both */
	assert_int_equal(a->rows.data[2].value, 6);
	const uint64_t *values = profile_label_values(a, a->rows.data[2].labels);
	assert_string_equal(profile_str(a, (str_id)values[0]), "x");
	assert_int_equal(values[1], 1);
	assert_int_equal(values[profile_find_column(a, "tid")], 77);
	assert_int_equal(a->rows.data[3].stack, PROFILE_NONE);
	profile_destroy(a);
	profile_destroy(b);
}

static bool on_cpu_1(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return profile_label_values(p, row->labels)[1] == 1;
}

static void a_filter_keeps_only_what_its_rows_need(void **state)
{
	struct profile *p = sample_profile();
	struct profile_log_entry log[] = { { 1, 0, 5, 0 }, { 2, 1, 5, 1 } };
	vec_push(&p->log, log[0]);
	vec_push(&p->log, log[1]);
	struct profile *f = profile_filter(p, on_cpu_1, NULL);
	assert_int_equal(f->rows.len, 1);
	assert_int_equal(f->rows.data[0].value, 20);
	assert_int_equal(f->functions.len, 3);
	assert_int_equal(f->events.data[0].value, 20);
	assert_int_equal(f->log.len, 1);
	assert_int_equal(f->log.data[0].time_ns, 2);
	assert_int_equal(f->log.data[0].row, 0);
	profile_destroy(f);
	profile_destroy(p);
}

static void two_events_of_one_name_stay_two(void **state)
{
	struct profile *p = profile_create();
	struct profile_event e = { .name = strtab_add(&p->strings, "cycles") };
	vec_push(&p->events, e);
	e.leader = 1;
	vec_push(&p->events, e);
	profile_add(p, PROFILE_NONE, PROFILE_NONE, 0, 1, 1, 0);
	profile_add(p, PROFILE_NONE, PROFILE_NONE, 1, 1, 2, 0);
	struct profile *dst = profile_create();
	profile_merge(dst, p);
	profile_merge(dst, p);
	assert_int_equal(dst->events.len, 2);
	assert_int_equal(dst->events.data[0].value, 2);
	assert_int_equal(dst->events.data[1].value, 4);
	profile_destroy(dst);
	profile_destroy(p);
}

static void check_choice(const struct profile *p, const char *name, uint32_t expected)
{
	uint32_t event;
	assert_ok(profile_choose_event(p, name, &event));
	assert_int_equal(event, expected);
}

/* What pprof does with the values of a sample: the last. A recording's dummy has none. */
static void the_last_event_that_counted_is_meant(void **state)
{
	struct profile *p = profile_create();
	uint32_t unused, cycles = profile_event(p, "cycles", "");
	profile_event(p, "dummy:HG", "");
	check_choice(p, "", 1);
	profile_add(p, PROFILE_NONE, PROFILE_NONE, cycles, 1, 10, 0);
	check_choice(p, "", 0);
	check_choice(p, "1", 1);
	check_choice(p, "dummy:HG", 1);
	p->origin.events_are_values = true;
	check_choice(p, "", 1);
	p->origin.default_event = p->events.data[0].name;
	check_choice(p, "", 0);
	assert_fails(profile_choose_event(p, "branches", &unused), ERROR_USAGE);
	profile_destroy(p);
}

/* "a" stands for x, inlined into a. */
static unsigned inline_x(void *ctx, struct profile *dst, const struct profile_frame *old, const struct profile_frame *moved,
			 frame_id ret[PROFILE_EXPAND_MAX])
{
	unsigned *calls = ctx;
	++*calls;
	if (old->addr != 'a')
		return 0;
	struct profile_function f = { .mapping = moved->mapping, .name = strtab_add(&dst->strings, "x") };
	struct profile_frame x = *moved;
	x.function = profile_function(dst, &f);
	x.flags = FRAME_INLINED;
	ret[0] = profile_frame(dst, &x);
	ret[1] = profile_frame(dst, moved);
	return 2;
}

static const char *name_at(const struct profile *p, stack_id s)
{
	return profile_str(p, p->functions.data[p->frames.data[p->stacks.data[s].frame].function].name);
}

static void frames_are_expanded_where_they_are(void **state)
{
	struct profile *p = sample_profile();
	unsigned calls = 0;
	struct profile *made = profile_expand(p, inline_x, &calls);
	assert_int_equal(calls, 4); /* m a b c: once each */
	assert_int_equal(made->rows.len, 2);
	assert_int_equal(made->rows.data[0].value, 40);
	assert_int_equal(made->rows.data[0].weight, 5);
	assert_int_equal(made->events.data[0].value, 60);
	const char *expected[] = { "b", "x", "a", "m" };
	stack_id s = made->rows.data[0].stack;
	for (unsigned i = 0; i < 4; i++, s = made->stacks.data[s].caller)
		assert_string_equal(name_at(made, s), expected[i]);
	assert_true(s == PROFILE_NONE);
	assert_int_equal(made->stacks.len, 5);
	profile_destroy(p);
	profile_destroy(made);
}

/* It is found as what it is now. */
static void a_mapping_is_described_while_a_profile_is_built(void **state)
{
	struct profile *p = sample_profile();
	struct profile_mapping was = p->mappings.data[0], is = was;
	is.path = strtab_add(&p->strings, "/b.out");
	profile_describe_mapping(p, 0, &is);
	assert_int_equal(profile_mapping(p, &is), 0);
	assert_int_equal(profile_mapping(p, &was), 1);
	assert_string_equal(profile_str(p, p->mappings.data[0].path), "/b.out");
	profile_destroy(p);
}

static void to_build_id(void *ctx, struct profile *dst, mapping_id id, struct profile_mapping *m)
{
	assert_int_equal(id, 0);
	m->build_id = strtab_add(&dst->strings, ctx);
}

static void c_becomes_b(void *ctx, struct profile *dst, struct profile_function *f)
{
	assert_string_equal(profile_str(dst, dst->mappings.data[f->mapping].build_id), ctx);
	if (!strcmp(profile_str(dst, f->name), "c"))
		f->name = strtab_add(&dst->strings, "b");
}

static void mappings_and_functions_are_described_anew(void **state)
{
	struct profile *p = sample_profile();
	vec_push(&p->log, ((struct profile_log_entry){ 9, 0, 5, 1 }));
	char build_id[] = "cafe";
	struct profile *made = profile_rewrite(p, &(struct profile_rewrite){ build_id, to_build_id, c_becomes_b });
	assert_string_equal(profile_str(p, p->mappings.data[0].build_id), "");
	assert_int_equal(p->functions.len, 4);
	assert_int_equal(made->mappings.len, 1);
	assert_string_equal(profile_str(made, made->mappings.data[0].path), "/a.out");
	assert_int_equal(made->functions.len, 3); /* m a b */
	assert_int_equal(made->rows.len, 2);      /* at two addresses, on two CPUs */
	assert_int_equal(made->rows.data[1].value, 20);
	assert_string_equal(name_at(made, made->rows.data[1].stack), "b");
	assert_int_equal(made->log.len, 1);
	assert_int_equal(made->log.data[0].row, 1);
	profile_destroy(made);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_things_have_equal_ids),
		cmocka_unit_test(a_frame_is_the_same_wherever_it_was_seen),
		cmocka_unit_test(merging_adds_rows_and_brings_columns),
		cmocka_unit_test(a_filter_keeps_only_what_its_rows_need),
		cmocka_unit_test(two_events_of_one_name_stay_two),
		cmocka_unit_test(the_last_event_that_counted_is_meant),
		cmocka_unit_test(a_mapping_is_described_while_a_profile_is_built),
		cmocka_unit_test(mappings_and_functions_are_described_anew),
		cmocka_unit_test(frames_are_expanded_where_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
