/*
 * The lines of a run as its options show them, and the statistics beside them.
 */
#pragma once
#include "cmd/trace/run.h"
#include "tracing/events.h"

/* What the source of a run does, and does not do, for its lines. */
struct trace_source_facts {
	bool live;          /* the running system can say what tasks are called */
	bool chosen_before; /* --failure and --duration were applied by the source */
	enum open_files_by files;
};

/* Owned by the run, which frees them: trace_forget_lines(). */
struct trace_lines *trace_begin_lines(struct trace_run *r, struct trace_source_facts facts);
/* What the format has before its first line: when the source is there. */
void trace_begin_output(struct trace_run *r);
/* After each round of events: writes out what there is, but leaves a fast stream to be written in large pieces. */
void trace_flush_lines(struct trace_run *r);
/* The end of the output's format, once; statistics that the lines kept are finished. */
void trace_end_lines(struct trace_run *r);
/* Frees them. */
void trace_forget_lines(struct trace_run *r);
/* Of the run's lines, where options request them. */
void trace_show_stats(struct trace_run *r);
/* Statistics in the format of the options. */
void trace_print_stats(struct trace_run *r, const struct syscall_stats *stats);
/* One line about samples that were left out, where there are any. */
void trace_say_damaged(const struct trace_run *r, const struct trace_events *e);
