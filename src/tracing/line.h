/*
 * One line of a trace: a system call, an event or a change of a task, from BPF programs, ring buffers or a file.
 *
 * A line is a value that borrows all it points at for the call. Times are nanoseconds of one clock, whichever the source has.
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

/* A call of a function has one line, or two around those of what it calls. */
enum trace_func_part { TRACE_FUNC_WHOLE, TRACE_FUNC_OPENS, TRACE_FUNC_CLOSES };

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

/* Of a call graph. */
struct trace_frame {
	uint64_t ip;
	const char *symbol; /* or NULL */
	const char *path;   /* of the file it is in; NULL where nothing is mapped */
	const char *file;   /* the same for readers: of what is not a file (the kernel, vdso) its name */
	bool inlined;
};

/* One is made for each call: what few lines have is pointed at. */
struct trace_line {
	enum trace_line_kind kind;
	uint64_t time_ns;     /* when it happened; of a call: when it began */
	uint64_t first_ns;    /* the beginning of the trace; filled in by trace_lines */
	bool start_unknown;   /* time_ns is when the call ended */
	uint64_t duration_ns; /* of a call that has returned and whose beginning is known */
	bool has_duration;
	uint32_t tid, pid;
	uint32_t cpu;         /* SAMPLE_NO_CPU where unknown */
	const char *comm;     /* "" where unknown */

	/* CALL and ENTERED */
	const struct syscall_event *call;
	bool continued;       /* its arguments stand in a line above */
	bool args_unknown;    /* its beginning was not seen */

	/* FUNC; depth is also of what else the task does within calls */
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

	/* SIGNAL: what is known of its siginfo_t, 12 bytes (number, errno, code) at least */
	uint32_t signal;
	const void *siginfo;
	uint32_t siginfo_bytes;
	const struct arch *arch; /* of the siginfo_t */

	/* FORK and EXIT */
	uint32_t child_tid, child_pid;
	uint32_t exit_code;   /* as wait(2) has it */
	bool last_thread;     /* the process ends with it */

	/* The call graph, innermost first, as it was resolved; NULL where there is none. */
	const struct resolved_frame *chain;
	uint32_t chain_nr;
	const struct trace_frame *frames; /* the same for sinks; filled in by trace_lines */
	uint32_t frames_nr;
};

/* Whatever takes lines: trace_lines gives it those that were chosen, in order. */
struct trace_sink {
	/* False where it takes no more: its output has failed. */
	bool (*line)(struct trace_sink *sink, const struct trace_line *line);
	/* Before the line of a sample: its head and its event. Called only where samples are requested. */
	void (*sample)(struct trace_sink *sink, const struct trace_line *head);
};
