/*
 * A recording in progress, from the running system into perf.data files, until the command ends, a signal comes or a limit is reached:
 *
 *	struct recorder *r = recorder_create(&options, &host);
 *	err = recorder_run(r, &status);
 *	recorder_destroy(r);
 *
 * What could be written is kept, whatever went wrong. Rings are drained by the caller's thread, or with options.threads by threads of
 * the recorder's; all functions and the host's belong to the caller's. Nothing is printed: messages go through the host. Times and
 * sizes have their units in their names.
 */
#pragma once
#include "capture/options.h"
#include "capture/schedule.h"
#include "event/event.h"
#include "session/host.h"
#include "sys/signals.h"

/* How much stack --call-graph dwarf copies by default. */
#define RECORDER_DUMP_BYTES 8192

enum recorder_affinity { RECORDER_AFFINITY_NONE, RECORDER_AFFINITY_NODE, RECORDER_AFFINITY_CPU };

/* When a new file begins. */
struct recorder_switching {
	bool on, by_signal;
	uint64_t bytes;       /* 0: not by size */
	uint64_t interval_ns; /* 0: not by time */
	uint64_t max_files;   /* 0: all are kept */
};

enum recorder_waits {
	RECORDER_NO_WAITS,
	RECORDER_OFFCPU, /* perf's event: how long threads were off the CPU, with their stacks */
	RECORDER_WALL,   /* what they waited for and who woke them, too */
	RECORDER_LOCKS,  /* the same of waits for futexes alone, with the thread that has the lock */
};

/* Strings and pointers are borrowed, and must live as long as the recorder. */
struct recorder_options {
	struct capture_options capture;
	const struct event_list *events;
	const struct event_list *switch_events; /* each of their samples begins a new file; may be empty */
	char *const *argv;                      /* of the command, ended by NULL; NULL: there is none */
	struct delay_schedule delay;            /* when events count; the first delay is also capture.delay_ms */

	enum recorder_waits waits; /* of threads, by a BPF program, besides the events */
	uint64_t wait_quantum_ns;  /* of waiting at one place makes a sample */

	const char *output; /* as record_output_init() takes it */
	bool timestamp_filename, kcore;
	struct recorder_switching switching;
	uint64_t max_bytes; /* ends the recording; 0: no limit */
	int compress_level; /* 0: none */
	bool compressed2;   /* records of that kind, which perf reads since 6.16 */
	bool tail_synthesize;

	const char *control;  /* --control, or NULL */
	bool use_threads;     /* writes a directory */
	const char *threads;  /* their layout, as reader_masks_parse() takes it; or NULL */
	enum recorder_affinity affinity;
	bool leave_jvms;       /* JVMs do not write the names of their compiled code at the end */
	bool keep_objects;     /* files with code go into the build ID cache: those with samples, or of single targets all */
	bool keep_all_objects; /* all in any case */
};

enum recorder_message {
	RECORDER_NOTE,   /* what the user should know of rights, limits and options */
	RECORDER_LOSS,   /* samples that are missing */
	RECORDER_RESULT, /* what was written where */
	RECORDER_LIST,   /* the events, as requested through --control: lines */
};

struct recorder_host {
	/* The text has no newline at its end. */
	void (*say)(void *ctx, enum recorder_message kind, const char *text);
	const struct session_host *session; /* for the build ID cache */
	const struct signals *signals;      /* open, with SIGCHLD and SIGUSR2, which are the recorder's; any other ends the recording */
	void *ctx;
};

struct recorder;

/* Copies options and host. */
struct recorder *recorder_create(const struct recorder_options *options, const struct recorder_host *host);
/*
 * Once. *ret_status: that of the command, 0 without one, or -n where signal n ended the recording. ERROR_USAGE if options exclude
 * each other by what they name; errors of the first of several that went wrong.
 */
struct strobe_error *recorder_run(struct recorder *r, int *ret_status) _must_check_;
/* Memory is out: the file has what came up to its last checkpoint, or there is none. For mem_on_exhausted(). */
void recorder_abandon(void *recorder);
void recorder_destroy(struct recorder *r);
