/*
 * All states of all threads as spans of a chart: running, waiting for a CPU, sleeping, blocked or stopped, with stacks and reasons.
 *
 *	timechart_threads_init(&t, &chart, has_wakes);
 *	timechart_threads_switch(&t, &(struct timechart_switch){ … });    and others, in order of time
 *	timechart_threads_finish(&t);
 *
 * Switches and wake-ups are processed by the state machine of analysis/task_states.h, which marks unknown times. Recordings of waits have
 * no switches: there, timechart_threads_span() adds complete spans. The chart is the caller's. One thread.
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
/* A context-switch record: a thread gets a CPU, or leaves it to an unknown thread (next 0). */
void timechart_threads_record(struct timechart_threads *t, const struct timechart_switch *e, bool is_preempted);
/* The same for a recording without CPUs; also for a thread that is known to run. */
void timechart_threads_come(struct timechart_threads *t, int32_t tid, uint64_t time_ns);
void timechart_threads_go(struct timechart_threads *t, int32_t tid, uint64_t time_ns, bool is_preempted);
/* An exit record. Without CPUs no switch follows it: the thread's state ends here. */
void timechart_threads_end(struct timechart_threads *t, int32_t tid, uint64_t time_ns);
void timechart_threads_wake(struct timechart_threads *t, const struct time_wake *e, uint32_t cpu, bool is_new);

/* Adds a wait or a sample of a clock, given its end (span.end_ns) and length. It begins at the end of the thread's previous span at the
 * earliest. */
struct timechart_thread_span {
	int32_t tid;
	const char *name; /* NULL: unknown */
	/* time waiting for a CPU since the wakeup: the wait before, which was recorded when the thread ran again, ended then */
	bool is_after_wake;
	struct time_span span;
};
void timechart_threads_span(struct timechart_threads *t, const struct timechart_thread_span *e);
void timechart_threads_finish(struct timechart_threads *t);
