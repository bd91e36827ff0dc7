/*
 * All states of all threads as spans of a chart: where they run, wait for a CPU, sleep, are blocked or stopped, with stacks and reasons.
 *
 *	timechart_threads_init(&t, &chart, has_wakes);
 *	timechart_threads_switch(&t, &(struct timechart_switch){ … });    and others, in order of time
 *	timechart_threads_finish(&t);
 *
 * Switches and wake-ups go through the machine of analysis/task_states.h, which knows what is not known. Recordings of waits have no
 * switches: there, timechart_threads_span() takes spans as they are. The chart is the caller's. One thread.
 */
#pragma once
#include "analysis/task_states.h"
#include "analysis/timechart_states.h"

struct timechart_threads {
	struct time_chart *chart;
	struct task_states states;
};

void timechart_threads_init(struct timechart_threads *t, struct time_chart *c, bool has_wakes);
void timechart_threads_deinit(struct timechart_threads *t);
/* letter: of prev_state, as in analysis/task_states.h. */
void timechart_threads_switch(struct timechart_threads *t, const struct timechart_switch *e, char letter);
/* A context-switch record: a thread comes to a CPU, or leaves it to a thread that is not known (next 0). */
void timechart_threads_record(struct timechart_threads *t, const struct timechart_switch *e, bool is_preempted);
/* The same of a recording that does not say on which CPU; also of a thread that is known to run. */
void timechart_threads_come(struct timechart_threads *t, int32_t tid, uint64_t time_ns);
void timechart_threads_go(struct timechart_threads *t, int32_t tid, uint64_t time_ns, bool is_preempted);
/* An exit record. Without CPUs no switch follows it: what the thread did ends here. */
void timechart_threads_end(struct timechart_threads *t, int32_t tid, uint64_t time_ns);
void timechart_threads_wake(struct timechart_threads *t, const struct time_wake *e, uint32_t cpu, bool is_new);

/* A wait or a sample of a clock: span.end_ns is known, and how long it was. It begins no earlier than the thread's span before ends. */
struct timechart_thread_span {
	int32_t tid;
	const char *name; /* NULL: not known */
	bool is_after_wake; /* it waited for a CPU since it was woken: the wait before, which was written as it ran again, ended then */
	struct time_span span;
};
void timechart_threads_span(struct timechart_threads *t, const struct timechart_thread_span *e);
void timechart_threads_finish(struct timechart_threads *t);
