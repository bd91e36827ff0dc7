/*
 * Lines of a trace as text, JSON, or Chrome's trace events.
 *
 *	struct trace_paper paper = { .format = trace_format_find("json"), .out = &out, .style = &style };
 *	trace_paper_begin(&paper);
 *	… lines through paper.sink …
 *	trace_paper_end(&paper);
 *
 * A format is a const descriptor: a further one is one file and one row in trace_formats[] (formats.c). Borrows all it points at.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "tracing/enum_names.h"
#include "tracing/line.h"

struct trace_paper {
	struct trace_sink sink; /* set by begin */
	const struct trace_format *format;
	struct out *out;
	const struct syscall_style *style;
	bool full_time;      /* text: times of the clock */
	bool no_comm;        /* text: no names */
	bool show_cpu;       /* text: the CPU, behind the time */
	bool no_task;        /* text: nothing in front of the call (one thread alone can be meant) */
	struct enum_names *enums; /* of fields of tracepoints; NULL: numbers */
	bool no_lines;         /* statistics alone are printed */
	bool points_as_kernel; /* text: tracepoints by their print format */
	bool no_time, no_duration; /* text: lines without */
	uint32_t align;      /* text: where results begin; 0: behind the arguments */
	void *state;         /* of the format, made by begin() and freed by end() */
};

struct trace_format {
	const char *name;
	/* Either may be NULL. end() is called once, after begin(), whatever happened in between. */
	void (*begin)(struct trace_paper *p);
	void (*line)(struct trace_paper *p, const struct trace_line *line);
	void (*end)(struct trace_paper *p);
};

extern const struct trace_format trace_format_text, trace_format_json, trace_format_chrome;
/* NULL where there is none of that name. */
const struct trace_format *trace_format_find(const char *name);
/* "text, json" for messages. */
const char *trace_format_names(void);

void trace_paper_begin(struct trace_paper *p);
/* After begin, once. */
void trace_paper_end(struct trace_paper *p);
