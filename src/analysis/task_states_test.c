/* Events of the scheduler written by hand, and the times that threads spend in each state. */
#include "analysis/task_states.h"

#include <stdlib.h>

#include "base/testing.h"

struct fixture {
	struct task_states s;
	VEC(struct task_interval) intervals;
};

static void keep(void *ctx, const struct task_interval *i)
{
	struct fixture *f = ctx;
	vec_push(&f->intervals, *i);
}

static void begin(struct fixture *f, bool has_wakes)
{
	*f = (struct fixture){};
	task_states_init(&f->s, &(struct task_states_options){ .interval = keep, .ctx = f, .has_wakes = has_wakes });
}

static void end(struct fixture *f)
{
	task_states_deinit(&f->s);
	vec_deinit(&f->intervals);
}

static void switch_at(struct fixture *f, uint64_t time, uint32_t cpu, uint32_t prev, char letter, uint32_t next)
{
	const struct task_switch e = { .time_ns = time, .cpu = cpu, .prev_tid = prev, .next_tid = next, .letter = letter };
	task_states_switch(&f->s, &e);
}

static void wake_at(struct fixture *f, uint64_t time, uint32_t cpu, uint32_t waker, uint32_t tid)
{
	task_states_wake(&f->s, &(struct task_wake){ .time_ns = time, .cpu = cpu, .waker_tid = waker, .tid = tid });
}

static const struct task *task_of(struct fixture *f, uint32_t tid)
{
	for (size_t i = f->s.tasks.len; i--;)
		if (f->s.tasks.data[i].tid == tid)
			return &f->s.tasks.data[i];
	fail_msg("no thread %u", tid);
	return NULL;
}

static void check(struct fixture *f, uint32_t tid, uint64_t running, uint64_t runnable, uint64_t sleeping, uint64_t unknown)
{
	const struct task *t = task_of(f, tid);
	assert_int_equal(t->ns[TASK_RUNNING], running);
	assert_int_equal(t->ns[TASK_RUNNABLE], runnable);
	assert_int_equal(t->ns[TASK_SLEEPING], sleeping);
	assert_int_equal(t->ns[TASK_UNKNOWN], unknown);
	assert_int_equal(task_time(t), t->last_ns - t->first_ns);
}

/* 7 runs from 100 to 300, sleeps until 8 wakes it at 450, and gets its CPU at 500; it runs until the end at 600. */
static void test_cycle(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, 0, 8, 'R', 7);
	switch_at(&f, 300, 0, 7, 'S', 8);
	wake_at(&f, 450, 0, 8, 7);
	switch_at(&f, 500, 0, 8, 'D', 7);
	task_states_finish(&f.s, 600);
	check(&f, 7, 300, 50, 150, 0);
	check(&f, 8, 200, 200, 0, 0);
	assert_int_equal(task_of(&f, 8)->ns[TASK_UNINTERRUPTIBLE], 100);
	assert_int_equal(task_of(&f, 7)->runs, 2);
	const struct task_interval *wait = &f.intervals.data[2]; /* after 8's first, 7's first */
	assert_int_equal(wait->state, TASK_SLEEPING);
	assert_int_equal(wait->letter, 'S');
	assert_int_equal(f.s.tasks.data[wait->waker].tid, 8);
	assert_int_equal(wait->end_ns - wait->start_ns, 150);
	assert_false(wait->is_cut);
	end(&f);
}

/* Preempted at 200 on CPU 0, moved, and run on CPU 1 at 260. */
static void test_preempted(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, 0, 0, 'R', 7);
	switch_at(&f, 200, 0, 7, 'R', 9);
	task_states_migrate(&f.s, 7, 1, 240);
	switch_at(&f, 260, 1, 0, 'R', 7);
	task_states_finish(&f.s, 300);
	check(&f, 7, 140, 60, 0, 0);
	assert_int_equal(task_of(&f, 7)->migrations, 1);
	assert_int_equal(task_of(&f, 7)->cpu, 1);
	assert_true(f.intervals.data[1].is_preempted);
	end(&f);
}

/* The ends of two threads, of which the second has the ID of the first; a new thread is runnable before it runs. */
static void test_lives(void **state)
{
	struct fixture f;
	begin(&f, true);
	task_states_fork(&f.s, 7, 7);
	task_states_wake(&f.s, &(struct task_wake){ .time_ns = 50, .cpu = 0, .waker_tid = 8, .tid = 7, .is_new = true });
	switch_at(&f, 100, 0, 8, 'S', 7);
	task_states_exit(&f.s, 7);
	switch_at(&f, 150, 0, 7, 'Z', 8);
	check(&f, 7, 50, 50, 0, 0);
	size_t n = f.s.tasks.len;
	task_states_fork(&f.s, 6, 7);
	task_states_wake(&f.s, &(struct task_wake){ .time_ns = 160, .cpu = 0, .waker_tid = 8, .tid = 7, .is_new = true });
	switch_at(&f, 170, 0, 8, 'S', 7);
	task_states_finish(&f.s, 200);
	assert_int_equal(f.s.tasks.len, n + 1);
	check(&f, 7, 30, 10, 0, 0);
	assert_int_equal(task_of(&f, 7)->pid, 6);
	assert_int_equal(f.s.broken, 1); /* 8 slept from 100 on, and ran without a wake-up */
	end(&f);
}

/* Its waker comes between its decision to sleep and its leaving the CPU: it is runnable all the time. */
static void test_early_wake(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, 0, 0, 'R', 7);
	wake_at(&f, 195, 1, 8, 7);
	switch_at(&f, 200, 0, 7, 'S', 0);
	switch_at(&f, 230, 0, 0, 'R', 7);
	task_states_finish(&f.s, 250);
	check(&f, 7, 120, 30, 0, 0);
	assert_int_equal(f.s.broken, 0);
	end(&f);
}

/*
 * The switches from idle to 8 at 140, and from idle to the new 9 later, are not there: 8 runs at 150, since it wakes 7, and 9 at 230. At
 * 210 thread 7 leaves; an ended thread and an interrupt, which wake 6, say nothing of who runs.
 */
static void test_waker_runs(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, 0, 8, 'S', 0);
	switch_at(&f, 120, 1, 7, 'S', 0);
	wake_at(&f, 130, 1, 0, 8);
	wake_at(&f, 150, 0, 8, 7);
	switch_at(&f, 160, 1, 0, 'R', 7);
	switch_at(&f, 200, 0, 8, 'S', 0);
	switch_at(&f, 210, 1, 7, 'S', 0);
	wake_at(&f, 230, 0, 9, 7);
	wake_at(&f, 240, 0, UINT32_MAX, 6);
	task_states_wake(&f.s, &(struct task_wake){ .time_ns = 250, .cpu = 0, .waker_tid = 5, .tid = 6, .in_interrupt = true });
	task_states_finish(&f.s, 300);
	check(&f, 8, 50, 0, 130, 20);
	check(&f, 7, 50, 80, 50, 0);
	check(&f, 9, 70, 0, 0, 0);
	assert_int_equal(f.s.broken, 3); /* 8 was runnable; the idle thread left twice unseen */
	end(&f);
}

/* Without wake-ups in the recording, a thread sleeps until it runs; with them, one that runs without was lost sight of. */
static void test_no_wakes(void **state)
{
	for (int has_wakes = 0; has_wakes < 2; has_wakes++) {
		struct fixture f;
		begin(&f, has_wakes);
		switch_at(&f, 100, 0, 7, 'S', 0);
		switch_at(&f, 230, 0, 0, 'R', 7);
		task_states_finish(&f.s, 250);
		check(&f, 7, 20, 0, has_wakes ? 0 : 130, has_wakes ? 130 : 0);
		assert_int_equal(f.s.broken, has_wakes);
		end(&f);
	}
}

/*
 * Records of CPU 0 are lost between 200 and 400. 7 runs there, 9 sleeps: both are unknown from 200, until 9 is woken at 450 and 7
 * leaves the CPU at 500. 8 runs on CPU 1 all the time.
 */
static void test_gap(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 90, 1, 0, 'R', 8);
	switch_at(&f, 100, 0, 9, 'S', 6);
	switch_at(&f, 200, 0, 6, 'S', 7);
	task_states_gap(&f.s, 0, 400);
	wake_at(&f, 450, 1, 8, 9);
	switch_at(&f, 500, 0, 7, 'S', 9);
	task_states_finish(&f.s, 600);
	check(&f, 7, 0, 0, 100, 300);
	check(&f, 9, 100, 50, 100, 250);
	check(&f, 8, 510, 0, 0, 0);
	assert_int_equal(f.s.gaps, 1);
	assert_int_equal(f.s.broken, 0);
	end(&f);
}

/* 7 is on CPU 0 and leaves CPU 1, whose last event was at 150: where it was since then is not known. 6 left CPU 1 unseen. */
static void test_contradiction(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, 0, 0, 'R', 7);
	switch_at(&f, 150, 1, 0, 'R', 6);
	switch_at(&f, 300, 1, 7, 'S', 0);
	switch_at(&f, 400, 0, 5, 'S', 0);
	task_states_finish(&f.s, 500);
	check(&f, 7, 50, 0, 200, 150);
	check(&f, 6, 0, 0, 0, 350);
	end(&f);
}

/* A clock that goes back: no time is negative, and the sum still is the whole. */
static void test_backwards(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 1000, 0, 0, 'R', 7);
	switch_at(&f, 900, 0, 7, 'S', 0);
	wake_at(&f, 950, 0, 0, 7);
	switch_at(&f, 1100, 0, 0, 'R', 7);
	task_states_finish(&f.s, 1200);
	check(&f, 7, 100, 100, 0, 0);
	assert_true(f.s.backwards > 0);
	end(&f);
}

/* Context-switch records have no states: what is not preempted waits, and what exits is gone. */
static void test_no_letters(void **state)
{
	struct fixture f;
	begin(&f, false);
	switch_at(&f, 100, 0, 0, 0, 7);
	switch_at(&f, 200, 0, 7, 0, 0);
	switch_at(&f, 250, 0, 0, 0, 7);
	task_states_exit(&f.s, 7);
	switch_at(&f, 300, 0, 7, 0, 0);
	task_states_finish(&f.s, 900);
	check(&f, 7, 150, 0, 50, 0);
	assert_true(task_of(&f, 7)->has_ended);
	end(&f);
}

static void test_bad_cpu(void **state)
{
	struct fixture f;
	begin(&f, true);
	switch_at(&f, 100, TASK_CPUS_MAX, 7, 'S', 8);
	wake_at(&f, 100, TASK_NO_CPU, 7, 8);
	assert_int_equal(f.s.bad_cpus, 2);
	assert_int_equal(f.s.tasks.len, 0);
	end(&f);
}

static void test_letters(void **state)
{
	char letters[16];
	/* As Linux 6.18 has it, shortened at its end. */
	task_state_letters("\"prev_state=%s%s\", (REC->prev_state & ((((0x0000 | 0x0001) << 1) - 1)) ? __print_flags(REC->prev_state & "
			   "1, \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x00000004, \"T\" }, { 8, \"t\" }) : \"R\"",
			   letters, sizeof(letters));
	assert_string_equal(letters, "SDTt");
	assert_int_equal(task_state_letter(letters, 0), 'R');
	assert_int_equal(task_state_letter(letters, 2), 'D');
	assert_int_equal(task_state_letter(letters, 6), 'D');
	assert_int_equal(task_state_letter(letters, 0x100), 'R');
	assert_int_equal(task_state_letter(letters, UINT64_C(1) << 63), 'R');
	task_state_letters("nothing", letters, sizeof(letters));
	assert_string_equal(letters, "SDTtXZPI");
	task_state_letters("__print_flags({ 1, \"S", letters, sizeof(letters));
	assert_string_equal(letters, "SDTtXZPI");
	assert_int_equal(task_state_of('I'), TASK_SLEEPING);
	assert_int_equal(task_state_of('t'), TASK_STOPPED);
}

/* Events without sense: the sums are still the whole time, and intervals of a thread follow each other without a gap. */
static void test_invariant(void **state)
{
	unsigned seed = 1;
	for (int round = 0; round < 200; round++) {
		struct fixture f;
		uint64_t time = 1000, sum = 0;
		begin(&f, round & 1);
		for (int i = 0; i < 300; i++) {
			uint32_t a = (uint32_t)rand_r(&seed) % 6, b = (uint32_t)rand_r(&seed) % 6, cpu = (uint32_t)rand_r(&seed) % 3;
			time += (uint64_t)(rand_r(&seed) % 20);
			switch (rand_r(&seed) % 8) {
			case 0:
				task_states_gap(&f.s, cpu ? cpu - 1 : TASK_NO_CPU, time);
				break;
			case 1:
				task_states_fork(&f.s, a, b);
				break;
			case 2:
				task_states_exit(&f.s, a);
				break;
			case 3:
				task_states_migrate(&f.s, a, cpu, time - 10);
				break;
			case 4:
				wake_at(&f, time - (uint64_t)(rand_r(&seed) % 15), cpu, a, b);
				break;
			default:
				switch_at(&f, time - (uint64_t)(rand_r(&seed) % 5), cpu, a, "SDRTX"[rand_r(&seed) % 5], b);
			}
		}
		task_states_finish(&f.s, time);
		for (size_t i = 0; i < f.s.tasks.len; i++) {
			const struct task *t = &f.s.tasks.data[i];
			uint64_t at = t->first_ns;
			assert_int_equal(task_time(t), t->last_ns - t->first_ns);
			for (size_t k = 0; k < f.intervals.len; k++)
				if (f.intervals.data[k].task == i) {
					assert_int_equal(f.intervals.data[k].start_ns, at);
					at = f.intervals.data[k].end_ns;
				}
			assert_int_equal(at, t->last_ns);
			sum += task_time(t);
		}
		for (size_t k = 0; k < f.intervals.len; k++)
			sum -= f.intervals.data[k].end_ns - f.intervals.data[k].start_ns;
		assert_int_equal(sum, 0);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_early_wake),
		cmocka_unit_test(test_waker_runs),
		cmocka_unit_test(test_no_wakes),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_no_letters),
		cmocka_unit_test(test_bad_cpu),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_invariant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
