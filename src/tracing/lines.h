/*
 * The lines of one trace, live or recorded: tracks tasks, selects lines, keeps statistics, the start time, and the maximum number of
 * lines. A source passes events in order; selected lines go to a sink.
 *
 *	struct trace_lines *l = trace_lines_create(&setup);
 *	trace_lines_call(l, &line, number_key);  …                         as things happen
 *	if (trace_lines_ended(l)) …                                        the maximum is reached, or the sink has failed
 *	trace_lines_finish(l);  trace_lines_destroy(l);
 *
 * Task names and descriptors are followed by trace_lines_call() and trace_lines_tasks(). One thread.
 */
#pragma once
#include "record/record.h"
#include "table/syscall_stats.h"
#include "tracing/line.h"
#include "tracing/tasks.h"

struct trace_lines;

struct trace_lines_setup {
	struct trace_sink *sink; /* borrowed */
	const struct sys *sys;   /* NULL: a recording */
	bool counts;             /* statistics are kept */
	bool only_stats;         /* calls have no lines */
	bool by_stack;           /* statistics by call graph, by function */
	enum syscall_stats_by by;
	bool sched;              /* how long tasks ran and waited, in the statistics */
	bool all_new;            /* no task existed before the trace: all of their run time is part of it */
	enum open_files_by files; /* how descriptors are tracked */
	/* Selection of lines. */
	bool failures_only;
	bool by_duration;
	uint64_t longer_than_ns; /* by_duration */
	uint64_t max_lines;      /* 0: no end */
};

struct trace_lines *trace_lines_create(const struct trace_lines_setup *setup);
void trace_lines_destroy(struct trace_lines *l);
/*
 * A call: statistics, descriptors, and its line. line->comm and line->continued are filled in here. key distinguishes calls in
 * the statistics: the number, + 512 of a 32-bit program.
 */
void trace_lines_call(struct trace_lines *l, struct trace_line *line, uint32_t key);
/* Any other event; line->comm is filled in if it is NULL. */
void trace_lines_other(struct trace_lines *l, struct trace_line *line);
/* The sample of the next line, for the sink's sample(). */
void trace_lines_sample(struct trace_lines *l, const struct trace_line *head);
/* The entry of a call as a tracepoint, by line->call. */
void trace_lines_entry_point(struct trace_lines *l, struct trace_line *line);
/* A task has ended, with its times on CPUs and waiting for one (--sched). */
void trace_lines_ran(struct trace_lines *l, uint32_t tid, uint32_t pid, uint64_t ran_ns, uint64_t waited_ns);
/* The start of times, if it is before the first line. Only the first call counts. */
void trace_lines_begin_at(struct trace_lines *l, uint64_t time_ns);
/* Statistics: a call that has begun and does not end within the trace. */
void trace_lines_count_begun(struct trace_lines *l, uint32_t tid, uint32_t pid);
/* Tasks, for the code that reports forks, execs and names. */
struct trace_tasks *trace_lines_tasks(struct trace_lines *l);
void trace_lines_rename(struct trace_lines *l, uint32_t tid, uint32_t pid, const char *comm, size_t room);
/* Handles COMM and FORK, for names and descriptors of tasks without BPF programs; ignores other records. */
void trace_lines_take_task(struct trace_lines *l, struct record r);
uint64_t trace_lines_count(const struct trace_lines *l);
bool trace_lines_ended(const struct trace_lines *l);
/* Finishes the statistics, once. */
void trace_lines_finish(struct trace_lines *l);
const struct syscall_stats *trace_lines_stats(const struct trace_lines *l);
