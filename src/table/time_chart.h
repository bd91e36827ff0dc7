/*
 * A chart over time: states of tasks, tasks on CPUs, idle states and frequencies of CPUs, wakeups.
 *
 *	time_chart_init(&c);
 *	...                          analysis/timechart_states.h fills it, in order of time
 *	time_chart_choose(&c, &choice);
 *	...                          view/svg/time_chart.h draws it; view/html/chart.h writes it into a page
 *	time_chart_deinit(&c);
 *
 * A task has a row for each of its names. Strings are borrowed from the chart's arena. Times in nanoseconds. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"

enum time_span_kind {
	TIME_SPAN_NONE,
	TIME_SPAN_RUNNING,
	TIME_SPAN_WAITING, /* for a CPU */
	TIME_SPAN_BLOCKED,
	/* in charts with all states (analysis/timechart_threads.h) */
	TIME_SPAN_SLEEPING,
	TIME_SPAN_STOPPED,
	TIME_SPAN_UNKNOWN, /* records were lost */
	TIME_SPAN_KINDS
};

/* Innermost first. Equal stacks of a chart are shared. */
struct time_stack {
	uint32_t nr, number; /* number: from 0, in order of first occurrence */
	struct time_frame {
		uint64_t ip;
		const char *name; /* "": no symbol */
	} frames[];
};

struct time_span {
	uint64_t start_ns, end_ns;
	const struct time_stack *stack; /* of the event that ended it; in charts with all states, where it waits; NULL: not recorded */
	const char *reason;             /* what it waits for; NULL: unknown */
	uint32_t cpu;                   /* TIME_NO_CPU: unknown */
	uint32_t waits;                 /* the number of waits that the span merges, or 0 */
	uint8_t kind;                   /* enum time_span_kind: sleeping tasks have no span */
	bool is_preempted;
};

#define TIME_NO_CPU UINT32_MAX

enum time_io_kind { TIME_IO_READ, TIME_IO_WRITE, TIME_IO_SYNC, TIME_IO_SEND, TIME_IO_RECEIVE, TIME_IO_POLL };

/* A system call for input or output, or several of the same kind and descriptor in close succession. */
struct time_io {
	uint64_t start_ns, end_ns, bytes; /* end_ns 0: it has not ended */
	int32_t fd;
	int32_t error; /* negative errno, or 0 */
	uint32_t merges;
	uint8_t kind; /* enum time_io_kind */
};

struct time_row {
	const char *name; /* NULL: unknown */
	uint64_t start_ns, end_ns, running_ns, bytes, bytes_max;
	VEC(struct time_span) spans;
	VEC(struct time_io) ios;
	bool is_shown;
	uint32_t slot; /* position in the drawing; set by the caller */
};

struct time_task {
	int32_t pid, ppid; /* thread IDs */
	int32_t process;   /* the thread's process; 0: unknown */
	VEC(struct time_row) rows;
	uint32_t current; /* row + 1; 0: none */
	uint8_t state;    /* enum time_span_kind, since since_ns */
	uint64_t since_ns, end_ns;
};

struct time_power {
	uint64_t start_ns, end_ns;
	uint64_t state; /* index of the idle state, or kHz */
	uint32_t cpu;
	bool is_frequency;
};

struct time_wake {
	uint64_t time_ns;
	int32_t waker; /* -1: an interrupt */
	int32_t wakee;
	const struct time_stack *stack; /* the waker's; NULL: not recorded */
};

struct time_chart {
	struct arena arena;
	VEC(struct time_task) tasks;
	struct u64map by_pid; /* index + 1 */
	VEC(struct time_power) power;
	VEC(struct time_wake) wakes;
	VEC(const struct time_stack *) stacks;
	uint32_t cpus_nr;
	const uint32_t *cpu_places; /* by CPU: its position; NULL: its number */
	const char *cpu_model;      /* or NULL */
	uint64_t min_khz, max_khz, turbo_khz;
	uint64_t first_ns, last_ns;
	uint64_t ios; /* calls that ended */
	bool is_sampled; /* tasks on CPUs are known only by samples of a clock */
};

void time_chart_init(struct time_chart *c);
void time_chart_deinit(struct time_chart *c);
/* Created if new; valid until the next is created. */
struct time_task *time_chart_task(struct time_chart *c, int32_t pid);
const struct time_task *time_chart_find(const struct time_chart *c, int32_t pid);
/* The task's current row; one without a name if it has none. */
struct time_row *time_task_row(struct time_task *t);
/* The task has this name from now on. */
void time_chart_name(struct time_chart *c, int32_t pid, const char *name);

/* A stack with these frames, which the caller fills in; owned by the chart. */
struct time_stack *time_chart_stack(struct time_chart *c, uint32_t frames_nr);

struct time_chart_choice {
	const char *const *names; /* or process IDs: the tasks to show; NULL: the most active */
	size_t names_nr;
	uint64_t rows_min; /* minimum number of rows, if there are as many; 0: none */
};

/* Shows all rows, whatever they did. */
void time_chart_show_all(struct time_chart *c);
/* Sorts tasks by their parents and their IDs; sets is_shown. Returns the number of shown rows. */
uint32_t time_chart_choose(struct time_chart *c, const struct time_chart_choice *choice);
