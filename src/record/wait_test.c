#include "record/wait.h"

#include <stdlib.h>
#include <string.h>

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

static struct {
	struct wait_raw raw;
	uint64_t waker[2];
	struct wait_lock lock;
	uint64_t owner[3];
} whole = { .raw = { .magic = WAIT_MAGIC, .waker_nr = 2, .lock_bytes = sizeof(struct wait_lock) + 24 },
	    .waker = { 1, 2 },
	    .lock = { .owner = 7, .owner_nr = 3 },
	    .owner = { 3, 4, 5 } };

static void payloads(void **state)
{
	struct wait_payload p;
	assert_true(wait_payload_read(&whole, sizeof(whole), &p));
	assert_true(p.has_lock);
	assert_int_equal(p.lock.owner, 7);
	assert_int_equal(p.waker_nr, 2);
	assert_int_equal(p.waker[1], 2);
	assert_int_equal(p.owner_nr, 3);
	assert_int_equal(p.owner[2], 5);
	/* Each length: nothing is read that is not there. */
	for (uint32_t n = 0; n < sizeof(whole); n++) {
		char *cut = malloc(n ? n : 1);
		memcpy(cut, &whole, n);
		assert_int_equal(wait_payload_read(cut, n, &p), n >= sizeof(whole.raw));
		assert_false(p.has_lock);
		free(cut);
	}
	whole.lock.owner_nr = WAIT_OWNER_MAX; /* more than lock_bytes says */
	assert_true(wait_payload_read(&whole, sizeof(whole), &p));
	assert_int_equal(p.owner_nr, 0);
	whole.raw.magic = 0;
	assert_false(wait_payload_read(&whole, sizeof(whole), &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_profile_of_time), cmocka_unit_test(payloads) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
