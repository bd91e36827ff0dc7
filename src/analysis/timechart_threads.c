#include "analysis/timechart_threads.h"

static const uint8_t kinds[TASK_STATES] = {
	[TASK_UNKNOWN] = TIME_SPAN_UNKNOWN,
	[TASK_RUNNING] = TIME_SPAN_RUNNING,
	[TASK_RUNNABLE] = TIME_SPAN_WAITING,
	[TASK_SLEEPING] = TIME_SPAN_SLEEPING,
	[TASK_UNINTERRUPTIBLE] = TIME_SPAN_BLOCKED,
	[TASK_STOPPED] = TIME_SPAN_STOPPED,
};

/* The state machine's tags are pointers to the chart's stacks. */
static uint64_t tag_of(const struct time_stack *stack)
{
	return (uintptr_t)stack;
}

static const struct time_stack *stack_of(uint64_t tag)
{
	return (const struct time_stack *)(uintptr_t)tag;
}

static void push(struct time_chart *c, int32_t tid, const struct time_span *span)
{
	struct time_row *r = time_task_row(time_chart_task(c, tid));
	vec_push(&r->spans, *span);
	if (span->kind == TIME_SPAN_RUNNING)
		r->running_ns += span->end_ns - span->start_ns;
	if (!r->start_ns || span->start_ns < r->start_ns)
		r->start_ns = span->start_ns;
}

/* Running is shown with the stack at which the thread left its CPU; a wait with the one at its start. */
static void take_interval(void *ctx, const struct task_interval *i)
{
	struct timechart_threads *t = ctx;
	const struct task *task = &t->states.tasks.data[i->task];
	if (!task->tid || i->state == TASK_DEAD)
		return;
	/* A wait that ended without a wakeup: the state machine does not know when it became runnable. */
	bool is_wait = i->state == TASK_UNKNOWN && i->letter && i->letter != 'R';
	struct time_span span = {
		.start_ns = i->start_ns,
		.end_ns = i->end_ns,
		.cpu = i->cpu == TASK_NO_CPU ? TIME_NO_CPU : i->cpu,
		.kind = kinds[is_wait ? task_state_of(i->letter) : i->state],
		.reason = is_wait ? "its wake-up was not recorded" : NULL,
		.stack = stack_of(i->state == TASK_RUNNING ? i->end_tag : i->tag),
		.is_preempted = i->is_preempted,
	};
	push(t->chart, (int32_t)task->tid, &span);
}

void timechart_threads_init(struct timechart_threads *t, struct time_chart *c, bool has_wakes)
{
	*t = (struct timechart_threads){ .chart = c };
	task_states_init(&t->states, &(struct task_states_options){ .interval = take_interval, .ctx = t, .has_wakes = has_wakes });
}

void timechart_threads_deinit(struct timechart_threads *t)
{
	task_states_deinit(&t->states);
}

static void name(struct timechart_threads *t, int32_t tid, const char *comm)
{
	if (tid && comm && *comm && !time_chart_task(t->chart, tid)->current)
		time_chart_name(t->chart, tid, comm);
}

static void count_cpu(struct timechart_threads *t, uint32_t cpu)
{
	if (cpu < TIMECHART_CPUS_MAX && cpu >= t->chart->cpus_nr)
		t->chart->cpus_nr = cpu + 1;
}

void timechart_threads_switch(struct timechart_threads *t, const struct timechart_switch *e, char letter)
{
	count_cpu(t, e->cpu);
	name(t, e->prev, e->prev_name);
	name(t, e->next, e->next_name);
	task_states_switch(&t->states, &(struct task_switch){ .time_ns = e->time_ns, .cpu = e->cpu, .prev_tid = (uint32_t)e->prev,
							      .next_tid = (uint32_t)e->next, .letter = letter, .tag = tag_of(e->stack) });
}

/* Other threads have no records: while they run, the CPU counts as idle. */
void timechart_threads_record(struct timechart_threads *t, const struct timechart_switch *e, bool is_preempted)
{
	const struct task_cpu *c = e->cpu < t->states.cpus_nr ? &t->states.cpus[e->cpu] : NULL;
	const struct task *current = c && c->current != TASK_NONE ? &t->states.tasks.data[c->current] : NULL;
	if (e->next && current && current->tid == (uint32_t)e->next) /* the record of the thread that left it came first */
		return;
	timechart_threads_switch(t, e, is_preempted ? 'R' : '\0');
}

/* Without CPUs the state machine has nothing to compare with: a thread runs from one record to the next. */
static void change(struct timechart_threads *t, int32_t tid, uint64_t time_ns, enum time_span_kind kind)
{
	struct time_task *task = time_chart_task(t->chart, tid);
	struct time_span span = { .start_ns = task->since_ns, .end_ns = time_ns, .kind = task->state, .cpu = TIME_NO_CPU,
				  .is_preempted = task->state == TIME_SPAN_WAITING };
	if (task->state != TIME_SPAN_NONE && span.end_ns > span.start_ns)
		push(t->chart, tid, &span);
	task = time_chart_task(t->chart, tid);
	task->state = (uint8_t)kind;
	task->since_ns = time_ns;
}

void timechart_threads_come(struct timechart_threads *t, int32_t tid, uint64_t time_ns)
{
	change(t, tid, time_ns, TIME_SPAN_RUNNING);
}

void timechart_threads_go(struct timechart_threads *t, int32_t tid, uint64_t time_ns, bool is_preempted)
{
	change(t, tid, time_ns, is_preempted ? TIME_SPAN_WAITING : TIME_SPAN_SLEEPING);
}

void timechart_threads_end(struct timechart_threads *t, int32_t tid, uint64_t time_ns)
{
	task_states_exit(&t->states, (uint32_t)tid);
	change(t, tid, time_ns, TIME_SPAN_NONE);
}

void timechart_threads_wake(struct timechart_threads *t, const struct time_wake *e, uint32_t cpu, bool is_new)
{
	bool in_interrupt = e->waker < 0;
	vec_push(&t->chart->wakes, *e);
	task_states_wake(&t->states, &(struct task_wake){ .time_ns = e->time_ns, .cpu = cpu, .tid = (uint32_t)e->wakee,
							  .waker_tid = in_interrupt ? 0 : (uint32_t)e->waker, .is_new = is_new,
							  .in_interrupt = in_interrupt, .tag = tag_of(e->stack) });
}

/* The maximum delay between the record of a wait and that of the following time waiting for a CPU. */
#define WRITTEN_NS 1000000

/* The last wait of a thread ended with the wakeup, at this time, and not when the thread ran again. */
static void end_wait(struct timechart_threads *t, int32_t tid, struct time_row *r, uint64_t woken_ns, uint64_t ran_ns)
{
	struct time_span *wait = r->spans.len ? &vec_last(&r->spans) : NULL;
	if (!wait || wait->kind < TIME_SPAN_BLOCKED || wait->waits || wait->end_ns <= woken_ns || wait->end_ns > ran_ns ||
	    ran_ns - wait->end_ns > WRITTEN_NS)
		return;
	uint64_t before_ns = r->spans.len > 1 ? r->spans.data[r->spans.len - 2].end_ns : 0, late_ns = wait->end_ns - woken_ns;
	for (size_t i = t->chart->wakes.len; i-- > 0 && t->chart->wakes.data[i].time_ns >= wait->end_ns;)
		if (t->chart->wakes.data[i].wakee == tid && t->chart->wakes.data[i].time_ns == wait->end_ns)
			t->chart->wakes.data[i].time_ns = woken_ns;
	wait->end_ns = woken_ns;
	wait->start_ns = wait->start_ns > late_ns + before_ns ? wait->start_ns - late_ns : before_ns;
	if (wait->start_ns >= woken_ns)
		r->spans.len--;
}

void timechart_threads_span(struct timechart_threads *t, const struct timechart_thread_span *e)
{
	struct time_span span = e->span;
	if (!e->tid)
		return;
	name(t, e->tid, e->name);
	struct time_row *r = time_task_row(time_chart_task(t->chart, e->tid));
	if (e->is_after_wake && !span.waits)
		end_wait(t, e->tid, r, span.start_ns, span.end_ns);
	uint64_t before_ns = r->spans.len ? vec_last(&r->spans).end_ns : 0;
	if (span.start_ns < before_ns)
		span.start_ns = before_ns;
	if (span.start_ns >= span.end_ns)
		return;
	if (span.cpu != TIME_NO_CPU)
		count_cpu(t, span.cpu);
	push(t->chart, e->tid, &span);
}

void timechart_threads_finish(struct timechart_threads *t)
{
	task_states_finish(&t->states, t->chart->last_ns);
}
