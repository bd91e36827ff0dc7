/* How many threads run at once, counted by hand. */
#include "base/testing.h"

#include "machine/record_builder.h"
#include "resolve/parallelism.h"
#include "sys/perf_abi.h"

struct fixture {
	struct env *env;
	struct record_builder b;
	struct parallelism p;
};

static struct fixture fixture(uint32_t cpus)
{
	struct fixture f = { .env = env_create() };
	struct perf_event_attr attr = { .size = PERF_ABI_ATTR_BYTES, .sample_id_all = 1, .sample_period = 1, .context_switch = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	env_add_event(f.env, &attr, sizeof(attr), "cycles", NULL, 0);
	f.env->cpus_available = cpus;
	return f;
}

static void fixture_end(struct fixture *f)
{
	parallelism_deinit(&f->p);
	vec_deinit(&f->b.bytes);
	env_destroy(f->env);
}

static void put_switch(struct fixture *f, uint32_t tid, uint16_t misc, bool with_trailer)
{
	f->b.with_trailer = with_trailer;
	f->b.trailer[0] = 5 | (uint64_t)tid << 32;
	f->b.trailer[1] = 100;
	build_start(&f->b, PERF_RECORD_SWITCH, misc);
	parallelism_note(&f->p, f->env, build_end(&f->b));
	f->b.with_trailer = true;
}

static void in(struct fixture *f, uint32_t tid)
{
	put_switch(f, tid, 0, true);
}

static void out(struct fixture *f, uint32_t tid)
{
	put_switch(f, tid, PERF_RECORD_MISC_SWITCH_OUT, true);
}

static void task(struct fixture *f, uint32_t type, uint32_t tid)
{
	parallelism_note(&f->p, f->env, build_task(&f->b, type, 5, 5, tid, 5, 100));
}

static void threads_are_counted(void **state)
{
	struct fixture f = fixture(8);
	/* The first thread ran when recording began: only its sample shows it. */
	assert_int_equal(parallelism_at(&f.p, f.env, 5), 1);
	in(&f, 6);
	in(&f, 7);
	assert_int_equal(parallelism_at(&f.p, f.env, 6), 3);
	out(&f, 5);
	assert_int_equal(parallelism_at(&f.p, f.env, 6), 2);
	/* Reported twice, and idle tasks: they count nothing. */
	in(&f, 7);
	in(&f, 0);
	out(&f, 5);
	assert_int_equal(parallelism_at(&f.p, f.env, 6), 2);
	/* No switch shows the end of a thread. */
	task(&f, PERF_RECORD_EXIT, 7);
	assert_int_equal(parallelism_at(&f.p, f.env, 6), 1);
	/* A late sample of a thread that went is not its return. */
	assert_int_equal(parallelism_at(&f.p, f.env, 7), 1);
	fixture_end(&f);
}

static void new_threads_run_once_switched_in(void **state)
{
	struct fixture f = fixture(8);
	in(&f, 5);
	task(&f, PERF_RECORD_FORK, 6);
	assert_int_equal(parallelism_at(&f.p, f.env, 5), 1);
	in(&f, 6);
	assert_int_equal(parallelism_at(&f.p, f.env, 5), 2);
	/* Its number has gone to another thread, whose end was not recorded. */
	task(&f, PERF_RECORD_FORK, 6);
	assert_int_equal(parallelism_at(&f.p, f.env, 5), 1);
	fixture_end(&f);
}

static void an_exec_shows_that_its_thread_runs(void **state)
{
	struct fixture f = fixture(8);
	in(&f, 6);
	parallelism_note(&f.p, f.env, build_comm(&f.b, 5, 5, "two", true));
	assert_int_equal(parallelism_at(&f.p, f.env, 6), 2);
	fixture_end(&f);
}

static void numbers_have_bounds(void **state)
{
	struct fixture f = fixture(2);
	for (uint32_t tid = 10; tid < 20; tid++)
		in(&f, tid);
	assert_int_equal(parallelism_at(&f.p, f.env, 10), 2);
	f.env->cpus_available = 0; /* not known */
	assert_int_equal(parallelism_at(&f.p, f.env, 10), 10);
	for (uint32_t tid = 10; tid < 20; tid++)
		out(&f, tid);
	assert_int_equal(parallelism_at(&f.p, f.env, 10), 1);
	fixture_end(&f);
}

static void damaged_records_count_nothing(void **state)
{
	struct fixture f = fixture(8);
	in(&f, 5);
	put_switch(&f, 6, 0, false);
	assert_int_equal(parallelism_at(&f.p, f.env, 5), 1);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_counted),
		cmocka_unit_test(new_threads_run_once_switched_in),
		cmocka_unit_test(an_exec_shows_that_its_thread_runs),
		cmocka_unit_test(numbers_have_bounds),
		cmocka_unit_test(damaged_records_count_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
