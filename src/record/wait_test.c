#include "record/wait.h"

#include "base/testing.h"

static void add_event(struct env *env, uint64_t config, const char *name)
{
	struct env_event e = { .attr = { .type = PERF_TYPE_SOFTWARE, .config = config }, .name = name };
	vec_push(&env->events, e);
}

static void one_profile_of_time(void **state)
{
	struct env *env = env_create();
	add_event(env, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	assert_int_equal(wait_events_of(env).clock_event, UINT32_MAX);
	add_event(env, PERF_COUNT_SW_BPF_OUTPUT, "offcpu-time");
	assert_false(env_has_waits(env));
	add_event(env, PERF_COUNT_SW_BPF_OUTPUT, WAIT_EVENT);
	assert_true(env_has_waits(env));
	assert_int_equal(wait_events_of(env).clock_event, 0);
	assert_int_equal(wait_events_of(env).wait_event, 2);
	/* With two clocks, running would count twice. */
	add_event(env, PERF_COUNT_SW_TASK_CLOCK, "task-clock");
	assert_int_equal(wait_events_of(env).wait_event, UINT32_MAX);
	vec_deinit(&env->events);
	env->events = (__typeof__(env->events)){};
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_profile_of_time) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
