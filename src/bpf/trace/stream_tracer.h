/*
 * System calls as a stream of events, from BPF programs through one ring buffer of the kernel.
 *
 *	TRY(stream_tracer_open(&targets, &options, &s));
 *	while (...) { wait some milliseconds; stream_tracer_drain(s, fn, ctx); }
 *
 * Events come in the order in which they were written: by their ends. They are lent for the call of fn, read in place. The
 * reader comes by itself; only a ring that fills wakes it, by stream_tracer_wake_fd(). When the ring is nearly full, calls
 * wait for the reader, 0.1 ms each at most (bpf/trace/trace_ring.bpf.h); what is lost nevertheless is counted. One thread at a
 * time.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "bpf/trace/trace_shared.h"
#include "bpf/trace/trace_targets.h"
#include "decode/syscall.h"

struct stream_tracer;

/* Which file calls are chosen by. Borrowed. */
struct stream_path {
	const char *prefix; /* paths that begin so, as programs spell them, and what was opened by these; else NULL: */
	const char *name;   /* the file in its directory */
	const char *other;  /* the last name of the link that it is called by; or NULL */
	uint64_t directory_inode;
	uint32_t device; /* as the kernel writes it; 0: not known */
};

struct stream_options {
	bool failures_only;
	uint64_t longer_than_ns;
	const struct stream_path *path; /* only calls with this path, or on a descriptor of that file; or NULL */
	uint32_t str_limit;
	/* Pieces of SYSCALL_PART_FILE (struct trace_file) say what all descriptors are open on, not only those that come without
	 * a path. */
	bool files;
	uint64_t ring_bytes; /* a power of two */
	enum trace_stacks stacks; /* a STACK precedes each CALL that has ended, and each POINT */
	bool kernel_stacks;
	uint32_t stack_bytes; /* of a dump */
	bool signals;         /* SIGNAL events */
	bool sched;           /* RAN events */
	bool only_results;    /* what arguments point at is not fetched, nor what descriptors are open on */
	bool no_wait;         /* calls never wait: what does not fit is lost */
};

struct strobe_error *stream_tracer_open(const struct trace_targets *targets, const struct stream_options *o,
					struct stream_tracer **ret) _must_check_;
/* When the first call was seen to begin; 0: none was. */
uint64_t stream_tracer_began_ns(const struct stream_tracer *s);
void stream_tracer_enable(struct stream_tracer *s, bool on);
/* Readable when the ring fills; drain takes that back. Borrowed. */
int stream_tracer_wake_fd(const struct stream_tracer *s);
/* Detaches: what is in the ring is all. */
void stream_tracer_stop(struct stream_tracer *s);
/* args_nr words and the payload follow the event. fn ends it with false. */
void stream_tracer_drain(struct stream_tracer *s, bool (*fn)(void *ctx, const struct trace_event *ev, size_t bytes), void *ctx);

struct stream_losses {
	uint64_t events;     /* calls, points and signals for which the ring had no room */
	uint64_t others;     /* the same of tasks (names, starts, ends) and stacks */
	uint64_t missed;     /* what the kernel ran no program for, because one was interrupted on that CPU */
	uint64_t unfollowed; /* tasks, files chosen by -P and arguments that the kernel had no memory to remember */
};

struct stream_losses stream_tracer_losses(const struct stream_tracer *s);
/* Calls that waited for the reader. */
uint64_t stream_tracer_waits(const struct stream_tracer *s);
/* bpf/trace/trace_maps.h. */
void stream_tracer_dump(const struct stream_tracer *s, const char *map, struct out *out);
/* Before it is closed, at the end of a program: the tracepoints of single calls are slow to close (sys/leave_behind.h). */
void stream_tracer_leave_behind(const struct stream_tracer *s);
void stream_tracer_close(struct stream_tracer *s);
