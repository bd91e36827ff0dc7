/*
 * A recording in progress, from the running system into perf.data files, until the command ends, a signal comes or a limit is reached:
 *
 *	struct recorder *r = recorder_create(&options, &host);
 *	err = recorder_run(r, &status);
 *	recorder_destroy(r);
 *
 * Written data is kept after every error. Rings are drained by the caller's thread, or with options.threads by the recorder's
 * threads; all functions, and those of the host, are called in the caller's thread. Nothing is printed: messages go through the
 * host. Times and sizes have their units in their names.
 */
#pragma once
#include "capture/options.h"
#include "capture/schedule.h"
#include "event/event.h"
#include "session/host.h"
#include "sys/signals.h"

/* Default number of stack bytes that --call-graph dwarf copies. */
#define RECORDER_DUMP_BYTES 8192

enum recorder_affinity { RECORDER_AFFINITY_NONE, RECORDER_AFFINITY_NODE, RECORDER_AFFINITY_CPU };

/* When to begin a new file. */
struct recorder_switching {
	bool on, by_signal;
	uint64_t bytes;       /* 0: not by size */
	uint64_t interval_ns; /* 0: not by time */
	uint64_t max_files;   /* 0: no limit */
};

enum recorder_waits {
	RECORDER_NO_WAITS,
	RECORDER_OFFCPU, /* perf's event: how long threads were off the CPU, with their stacks */
	RECORDER_WALL,   /* also the reasons of waits and the wakers */
	RECORDER_LOCKS,  /* the same, only for futexes, with the thread that has the lock */
};

/* Strings and pointers are borrowed, and must live as long as the recorder. */
struct recorder_options {
	struct capture_options capture;
	const struct event_list *events;
	const struct event_list *switch_events; /* each of their samples begins a new file; may be empty */
	char *const *argv;                      /* of the command, ended by NULL; NULL: none */
	struct delay_schedule delay;            /* when events count; the first delay is also capture.delay_ms */

	enum recorder_waits waits; /* of threads, by a BPF program, besides the events */
	uint64_t wait_quantum_ns;  /* waiting time per sample at one place */

	const char *output; /* the argument of record_output_init() */
	bool timestamp_filename, kcore;
	struct recorder_switching switching;
	uint64_t max_bytes; /* ends the recording; 0: no limit */
	int compress_level; /* 0: none */
	bool compressed2;   /* use this type of record, which perf reads since 6.16 */
	bool tail_synthesize;

	const char *control;  /* --control, or NULL */
	bool use_threads;     /* writes a directory */
	const char *threads;  /* their layout, for reader_masks_parse(); or NULL */
	enum recorder_affinity affinity;
	bool leave_jvms;       /* JVMs do not write the names of their compiled code at the end */
	bool keep_objects;     /* add files to the build ID cache: those with samples, or all code of single targets */
	bool keep_all_objects; /* add all files with code */
};

enum recorder_message {
	RECORDER_NOTE,   /* notes about permissions, limits and options */
	RECORDER_LOSS,   /* lost samples */
	RECORDER_RESULT, /* the written file */
	RECORDER_LIST,   /* the list of events requested through --control */
};

struct recorder_host {
	/* text has no newline at its end. */
	void (*say)(void *ctx, enum recorder_message kind, const char *text);
	const struct session_host *session; /* for the build ID cache */
	const struct signals *signals;      /* open, with SIGCHLD and SIGUSR2, which the recorder handles; any other ends the recording */
	void *ctx;
};

struct recorder;

/* Copies options and host. */
struct recorder *recorder_create(const struct recorder_options *options, const struct recorder_host *host);
/*
 * Once. *ret_status: that of the command, 0 without one, or -n where signal n ended the recording. ERROR_USAGE if options exclude
 * each other; of several errors the first.
 */
struct strobe_error *recorder_run(struct recorder *r, int *ret_status) _must_check_;
/* Out of memory: keeps the file up to its last checkpoint, or none. For mem_on_exhausted(). */
void recorder_abandon(void *recorder);
void recorder_destroy(struct recorder *r);
