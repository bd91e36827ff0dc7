/*
 * System calls as a stream of events, from BPF programs through one ring buffer of the kernel.
 *
 *	TRY(stream_tracer_open(&targets, &options, &s));
 *	while (...) { wait some milliseconds; stream_tracer_drain(s, fn, ctx); }
 *
 * Events come in the order in which they were written: by the ends of calls. They are borrowed until fn returns, read in
 * place. The reader polls; only a ring that is filling up wakes it, through stream_tracer_wake_fd(). When the ring is
 * nearly full, each call waits for the reader, for 0.1 ms at most (bpf/trace/trace_ring.bpf.h); losses are counted. One thread at a
 * time.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "bpf/trace/trace_shared.h"
#include "bpf/trace/trace_targets.h"
#include "decode/syscall.h"

struct stream_tracer;

/* The file by which calls are selected. Borrowed. */
struct stream_path {
	const char *prefix; /* paths with this prefix, as programs spell them, and files opened by them; else NULL: */
	const char *name;   /* the file in its directory */
	const char *other;  /* the last name of a link to it; or NULL */
	uint64_t directory_inode;
	uint32_t device; /* as the kernel encodes it; 0: unknown */
};

struct stream_options {
	bool failures_only;
	uint64_t longer_than_ns;
	const struct stream_path *path; /* only calls with this path, or on a descriptor of that file; or NULL */
	uint32_t str_limit;
	/* Report the files of all descriptors, as pieces of SYSCALL_PART_FILE (struct trace_file), not only of those without a known
	 * path. */
	bool files;
	uint64_t ring_bytes; /* a power of two */
	enum trace_stacks stacks; /* a STACK precedes each CALL that has ended, and each POINT */
	bool kernel_stacks;
	uint32_t stack_bytes; /* of a dump */
	bool signals;         /* SIGNAL events */
	bool sched;           /* RAN events */
	bool only_results;    /* fetch neither the memory that arguments point to nor the files of descriptors */
	bool no_wait;         /* calls never wait for the reader: events that do not fit are lost */
};

struct strobe_error *stream_tracer_open(const struct trace_targets *targets, const struct stream_options *o,
					struct stream_tracer **ret) _must_check_;
/* When the first traced call began; 0: none has. */
uint64_t stream_tracer_began_ns(const struct stream_tracer *s);
void stream_tracer_enable(struct stream_tracer *s, bool on);
/* Readable when the ring fills up; stream_tracer_drain() resets it. Borrowed. */
int stream_tracer_wake_fd(const struct stream_tracer *s);
/* Detaches the programs: no more events are written to the ring. */
void stream_tracer_stop(struct stream_tracer *s);
/* args_nr words and the payload follow the event. fn ends it with false. */
void stream_tracer_drain(struct stream_tracer *s, bool (*fn)(void *ctx, const struct trace_event *ev, size_t bytes), void *ctx);

struct stream_losses {
	uint64_t events;     /* calls, points and signals for which the ring had no room */
	uint64_t others;     /* likewise for tasks (names, starts, ends) and stacks */
	uint64_t missed;     /* program runs that the kernel skipped, because it interrupted another on that CPU */
	uint64_t unfollowed; /* tasks, files selected by -P and arguments for which the maps had no room */
};

struct stream_losses stream_tracer_losses(const struct stream_tracer *s);
/* Calls that waited for the reader. */
uint64_t stream_tracer_waits(const struct stream_tracer *s);
/* bpf/trace/trace_maps.h. */
void stream_tracer_dump(const struct stream_tracer *s, const char *map, struct out *out);
/* Before it is closed, at the end of a program: the tracepoints of single calls are slow to close (sys/leave_behind.h). */
void stream_tracer_leave_behind(const struct stream_tracer *s);
void stream_tracer_close(struct stream_tracer *s);
