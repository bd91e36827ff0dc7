/*
 * One line of a trace: a system call, an event or a change of a task, from BPF programs, ring buffers or a file.
 *
 * A line is a value that borrows everything it points to for the duration of the call. Times are nanoseconds of the source's clock.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "decode/syscall.h"
#include "decode/tracepoint.h"
#include "resolve/resolve.h"
#include "tracing/func/call.h"

enum trace_line_kind {
	TRACE_LINE_CALL,    /* a system call has returned */
	TRACE_LINE_ENTERED, /* it sleeps, or never returns */
	TRACE_LINE_POINT,   /* a tracepoint, or another event */
	TRACE_LINE_FAULT,   /* of a page */
	TRACE_LINE_SIGNAL,  /* is delivered */
	TRACE_LINE_FORK,    /* a task starts */
	TRACE_LINE_EXIT,    /* a task ends */
	TRACE_LINE_FUNC,    /* a function is called, or returns */
};

/* A call of a function has one line, or two around those of its inner calls. */
enum trace_func_part { TRACE_FUNC_WHOLE, TRACE_FUNC_OPENS, TRACE_FUNC_CLOSES };

/* The location of an address. */
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

/* Of a call graph. */
struct trace_frame {
	uint64_t ip;
	const char *symbol; /* or NULL */
	const char *path;   /* of the mapped file; NULL: nothing is mapped */
	const char *file;   /* the same for display: the name for the kernel and the vDSO */
	bool inlined;
};

/* Created for each call: rare data is referred to by pointers. */
struct trace_line {
	enum trace_line_kind kind;
	uint64_t time_ns;     /* of the event; for a call, of its start */
	uint64_t first_ns;    /* the beginning of the trace; filled in by trace_lines */
	bool start_unknown;   /* time_ns is the end of the call */
	uint64_t duration_ns; /* of a call that has returned, if its start is known */
	bool has_duration;
	uint32_t tid, pid;
	uint32_t cpu;         /* SAMPLE_NO_CPU: unknown */
	const char *comm;     /* "" where unknown */

	/* CALL and ENTERED */
	const struct syscall_event *call;
	bool continued;       /* its arguments are in an earlier line */
	bool args_completed;  /* but without memory that could not be read then */
	bool args_unknown;    /* its start was missed */

	/* FUNC; depth is also set for other lines of the task within calls */
	const struct func_call *func;
	enum trace_func_part func_part;
	uint32_t depth;

	/* POINT */
	const char *event;    /* "sched:sched_switch" */
	const struct tracepoints *points;
	const struct tracepoint *point; /* NULL: no fields */
	const void *raw;
	uint32_t raw_bytes;

	const struct trace_fault *fault; /* FAULT */

	/* SIGNAL: the known part of its siginfo_t, at least 12 bytes (number, errno, code) */
	uint32_t signal;
	const void *siginfo;
	uint32_t siginfo_bytes;
	const struct arch *arch; /* of the siginfo_t */

	/* FORK and EXIT */
	uint32_t child_tid, child_pid;
	uint32_t exit_code;   /* as wait(2) has it */
	bool last_thread;     /* the process ends with it */

	/* The resolved call graph, innermost first; NULL: none. */
	const struct resolved_frame *chain;
	uint32_t chain_nr;
	const struct trace_frame *frames; /* the same for sinks; filled in by trace_lines */
	uint32_t frames_nr;
};

/* A receiver of lines: trace_lines passes it the selected ones, in order. */
struct trace_sink {
	/* False: no more lines, since the output has failed. */
	bool (*line)(struct trace_sink *sink, const struct trace_line *line);
	/* Called before the line of a sample with its head and event, if samples are requested. */
	void (*sample)(struct trace_sink *sink, const struct trace_line *head);
};
