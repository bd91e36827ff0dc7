/* Any bytes as events of the scheduler: the states of each thread follow each other without a gap, and are all of its time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/task_states.h"

#define EVENT_BYTES 6
#define TASKS_MAX   4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct lasts {
	const struct task_states *s;
	uint64_t end_ns[TASKS_MAX];
	uint64_t sum_ns;
};

static void take_interval(void *ctx, const struct task_interval *i)
{
	struct lasts *l = ctx;
	const struct task *t = &l->s->tasks.data[i->task];
	if (i->task >= TASKS_MAX)
		return;
	if (i->end_ns <= i->start_ns || i->start_ns != (l->end_ns[i->task] ? l->end_ns[i->task] : t->first_ns))
		abort();
	l->end_ns[i->task] = i->end_ns;
	l->sum_ns += i->end_ns - i->start_ns;
}

static void feed(struct task_states *s, const uint8_t *e, uint64_t time_ns)
{
	uint32_t cpu = (e[0] >> 4) % 5, a = e[2] % 32, b = e[3] % 32;
	if (cpu == 4)
		cpu = e[5] ? TASK_NO_CPU : TASK_CPUS_MAX - 1;
	switch (e[0] & 7) {
	case 0:
		task_states_gap(s, cpu, time_ns);
		break;
	case 1:
		task_states_fork(s, a, b);
		break;
	case 2:
		task_states_exit(s, a);
		break;
	case 3:
		task_states_migrate(s, a, cpu, time_ns);
		break;
	case 4:
	case 5:
		task_states_wake(s, &(struct task_wake){ .time_ns = time_ns, .cpu = cpu, .waker_tid = a, .tid = b, .is_new = e[5] & 1,
							 .in_interrupt = e[5] & 2, .tag = e[4] });
		break;
	default:
		task_states_switch(s, &(struct task_switch){ .time_ns = time_ns, .cpu = cpu, .prev_tid = a, .next_tid = b,
							     .letter = "SDTtXZPIR"[e[4] % 10], .tag = e[5] });
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct task_states s;
	struct lasts l = { .s = &s };
	uint64_t time_ns = 1, sum_ns = 0;
	if (!size)
		return 0;
	task_states_init(&s, &(struct task_states_options){ .interval = take_interval, .ctx = &l, .has_wakes = data[0] & 1 });
	for (size_t at = 1; at + EVENT_BYTES <= size; at += EVENT_BYTES) {
		int8_t step = (int8_t)data[at + 1];
		time_ns = step < 0 && time_ns <= (uint64_t)-step ? 1 : time_ns + (uint64_t)(int64_t)step;
		feed(&s, data + at, time_ns);
	}
	task_states_finish(&s, time_ns);
	for (size_t i = 0; i < s.tasks.len; i++) {
		const struct task *t = &s.tasks.data[i];
		if (task_time(t) != t->last_ns - t->first_ns)
			abort();
		sum_ns += i < TASKS_MAX ? task_time(t) : 0;
	}
	if (sum_ns != l.sum_ns)
		abort();
	task_states_deinit(&s);
	return 0;
}
