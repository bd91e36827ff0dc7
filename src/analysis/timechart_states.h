/*
 * Makes a chart from events of the scheduler, power management and system calls, by perf's rules with these exceptions: a preempted
 * task waits for a CPU (perf: sleeps); threads are separate tasks, with names of their process or of sched_switch (perf: only those
 * with a name); an idle state from before the recording begins with it (perf: at time 0); states that last until the end of the
 * recording end there (perf: are missing).
 *
 *	timechart_states_switch(&s, &(struct timechart_switch){ … });   and others, in order of time
 *	timechart_states_finish(&s);
 *
 * A zeroed struct with a chart is valid. One thread. Source: include/trace/events/sched.h, power.h, syscalls.h.
 */
#pragma once
#include "table/time_chart.h"

#define TIMECHART_CPUS_MAX 8192 /* events of others are ignored */

struct timechart_cpu {
	uint64_t idle_since_ns, idle_state; /* since 0: not idle, as far as known */
	uint64_t speed_since_ns, khz;       /* khz 0: unknown */
	bool is_idle, has_ended_idle;
};

struct timechart_states {
	struct time_chart *chart;
	struct timechart_cpu *cpus; /* TIMECHART_CPUS_MAX of them, once there is one */
	uint64_t io_min_ns;         /* shorter calls are drawn with this length */
	uint64_t io_merge_ns;       /* calls with at most this distance are merged */
	bool has_speed;
};

struct timechart_switch {
	uint64_t time_ns;
	uint32_t cpu;
	int32_t prev, next;
	uint64_t prev_state;
	const char *prev_name, *next_name; /* NULL: unknown */
	const struct time_stack *stack;
};

void timechart_states_deinit(struct timechart_states *s);
/* Call it for any event: the chart lasts from the first to the last. */
void timechart_states_time(struct timechart_states *s, uint64_t time_ns);
void timechart_states_fork(struct timechart_states *s, int32_t pid, int32_t ppid, uint64_t time_ns);
void timechart_states_exit(struct timechart_states *s, int32_t pid, uint64_t time_ns);
void timechart_states_switch(struct timechart_states *s, const struct timechart_switch *e);
void timechart_states_wake(struct timechart_states *s, const struct time_wake *e, uint32_t cpu);
void timechart_states_idle(struct timechart_states *s, uint32_t cpu, uint64_t state, bool ends, uint64_t time_ns);
void timechart_states_speed(struct timechart_states *s, uint32_t cpu, uint64_t khz, uint64_t time_ns);
void timechart_states_io_begin(struct timechart_states *s, int32_t pid, enum time_io_kind kind, int32_t fd, uint64_t time_ns);
void timechart_states_io_end(struct timechart_states *s, int32_t pid, enum time_io_kind kind, int64_t result, uint64_t time_ns);
void timechart_states_finish(struct timechart_states *s);
