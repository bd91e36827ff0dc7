/*
 * Lines of a trace as text, JSON, or Chrome's trace events.
 *
 *	struct trace_writer writer = { .display = &display, .out = &out, .tasks = tasks };
 *	trace_writer_begin(&writer);
 *	… lines through writer.sink …
 *	trace_writer_end(&writer);
 *
 * A format is a const descriptor: a new one is a file and a row in trace_formats[] (formats.c). Borrows everything that it points to.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "tracing/enum_names.h"
#include "tracing/line.h"
#include "tracing/tasks.h"

/* How lines look. */
struct trace_display {
	const struct trace_format *format;
	uint64_t str_limit;  /* bytes of strings and buffers */
	bool show_zeros, show_prefix, no_arg_names, strace_style; /* arguments */
	/* Of text: */
	bool full_time;      /* times of the clock */
	bool no_comm;        /* no names */
	bool show_cpu;       /* the CPU, after the time */
	bool points_as_kernel; /* tracepoints by their print format */
	bool no_time, no_duration; /* lines without */
	uint32_t align;      /* where results begin; 0: after the arguments */
};

struct trace_writer {
	struct trace_sink sink; /* set by begin */
	const struct trace_display *display;
	struct out *out;
	struct trace_tasks *tasks; /* names and descriptors */
	struct enum_names *enums; /* of fields of tracepoints; NULL: numbers */
	bool no_task;        /* text: no task before the call (there is only one thread) */
	bool no_lines;       /* print only statistics */
	/* Of the writers: */
	struct syscall_style style;
	void *state;         /* of the format, made by begin() and freed by end() */
	uint64_t lines, flushed_lines; /* lines written; and when trace_writer_flush() was last called */
	bool begun;
};

struct trace_format {
	const char *name;
	/* Either may be NULL. end() is called once, after begin(), whatever happened in between. */
	void (*begin)(struct trace_writer *p);
	void (*line)(struct trace_writer *p, const struct trace_line *line);
	void (*end)(struct trace_writer *p);
};

extern const struct trace_format trace_format_text, trace_format_json, trace_format_chrome;
/* NULL if there is none of that name. */
const struct trace_format *trace_format_find(const char *name);
/* "text, json" for messages. */
const char *trace_format_names(void);

void trace_writer_begin(struct trace_writer *p);
/* Call it once, if trace_writer_begin() was called. */
void trace_writer_end(struct trace_writer *p);
/* Call it after each round of events: writes complete lines, but lets a fast stream be written in large pieces. */
void trace_writer_flush(struct trace_writer *p);
