/*
 * One line of trace: what happened, whoever told of it (BPF programs, ring buffers, a file), and how it is written.
 *
 *	struct trace_line line = { .kind = TRACE_LINE_CALL, .time_ns = …, .pid = …, .tid = …, .call = &call };
 *	format->line(&paper, &line);
 *
 * A line is a value that borrows all it points at for the call. Times are nanoseconds of one clock, whichever the source
 * has. A format is a const descriptor: a third one is one file and one row in trace_formats[] (line_formats.c).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "decode/syscall.h"
#include "decode/tracepoint.h"
#include "resolve/resolve.h"

enum trace_line_kind {
	TRACE_LINE_CALL,    /* a system call has returned */
	TRACE_LINE_ENTERED, /* it sleeps, or never returns */
	TRACE_LINE_POINT,   /* a tracepoint, or another event */
	TRACE_LINE_FAULT,   /* of a page */
	TRACE_LINE_SIGNAL,  /* is delivered */
	TRACE_LINE_FORK,    /* a task starts */
	TRACE_LINE_EXIT,    /* a task ends */
};

/* Where an address lies. */
struct trace_place {
	uint64_t address;
	const char *symbol; /* or NULL */
	uint64_t offset;    /* in the symbol, else in the file */
	const char *file;   /* or NULL */
	char map;           /* 'd' data, 'x' code, '?' nothing is mapped */
	char level;         /* 'k' kernel, '.' user */
};

struct trace_fault {
	bool major;
	struct trace_place from, to;
};

/* One is made for each call: what few lines have is pointed at. */
struct trace_line {
	enum trace_line_kind kind;
	uint64_t time_ns;     /* when it happened; of a call: when it began */
	bool start_unknown;   /* time_ns is when the call ended */
	uint64_t duration_ns; /* of a call that has returned and whose beginning is known */
	bool has_duration;
	uint32_t tid, pid;
	uint32_t cpu;         /* SAMPLE_NO_CPU where unknown */
	const char *comm;     /* "" where unknown */

	/* CALL and ENTERED */
	const struct syscall_event *call;
	bool continued;       /* its arguments stand in a line above */
	bool args_unknown;    /* nobody saw it begin */

	/* POINT */
	const char *event;    /* "sched:sched_switch" */
	const struct tracepoints *points;
	const struct tracepoint *point; /* NULL: no fields */
	const void *raw;
	uint32_t raw_bytes;

	const struct trace_fault *fault; /* FAULT */

	/* SIGNAL: what is known of its siginfo_t, 12 bytes (number, errno, code) at least */
	uint32_t signal;
	const void *siginfo;
	uint32_t siginfo_bytes;

	/* FORK and EXIT */
	uint32_t child_tid, child_pid;
	uint32_t exit_code;   /* as wait(2) has it */
	bool last_thread;     /* the process ends with it */

	const struct resolved_frame *frames; /* innermost first; NULL where no call graph is asked for */
	uint32_t frames_nr;
};

/* What a writer needs to know beside the line. */
struct trace_paper {
	struct out *out;
	const struct syscall_style *style;
	uint64_t first_ns;   /* time of the first line: what text counts from; 0 before it */
	bool full_time;      /* text: times of the clock */
	bool no_comm;        /* text: no names */
	bool show_cpu;       /* text: the CPU, behind the time */
	bool no_task;        /* text: nothing in front of the call (one thread alone can be meant) */
	struct enum_names *enums; /* of fields of tracepoints; NULL: numbers */
	bool no_lines;         /* statistics alone are printed */
	bool points_as_kernel; /* text: tracepoints by their print format */
	bool no_time, no_duration; /* text: lines without */
	uint32_t align;      /* text: where results begin; 0: behind the arguments */
	uint64_t lines;      /* written so far */
	void *state;         /* of the format, made by begin() and freed by end() */
};

struct trace_format {
	const char *name;
	/* Either may be NULL. end() is called once, after begin(), whatever happened in between. */
	void (*begin)(struct trace_paper *p);
	void (*line)(struct trace_paper *p, const struct trace_line *line);
	void (*end)(struct trace_paper *p);
};

extern const struct trace_format trace_format_text, trace_format_json;
extern const struct trace_format trace_format_chrome;
/* NULL where there is none of that name. */
const struct trace_format *trace_format_find(const char *name);
/* "text, json" for messages. */
const char *trace_format_names(void);

/* The arguments of an event as text shows them: "fd: 3, addrlen: 16". */
void trace_point_args(struct out *out, const struct trace_paper *p, const struct trace_line *line);
/* How many numbers an array of them holds; 0: it is no such thing. */
uint32_t trace_array_length(const struct tracepoint_field *f);
uint64_t trace_array_number(const struct trace_line *line, const struct tracepoint_field *f, uint32_t i);
/* "[f+0x12]", "/lib/x.so@0x40", "0x7f…". */
void trace_place_text(struct out *out, const struct trace_place *place, bool with_file);
