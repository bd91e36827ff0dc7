/*
 * A recorder, shared by the files of this room: recorder.c (its run), files.c (output files), commands.c (--control), threads.c
 * (readers), stacks.c and followed.c (its BPF programs), summary.c (its messages).
 */
#pragma once
#include <pthread.h>
#include <semaphore.h>

#include "bpf/probe/samples.h"
#include "bpf/task_filter.h"
#include "bpf/unwind/chain_sink.h"
#include "capture/control.h"
#include "capture/session.h"
#include "capture/workload.h"
#include "recording/objects.h"
#include "recording/output.h"
#include "recording/recorder.h"

/*
 * Rings are drained at this interval even below their watermark, so that the file is nearly complete if the recorder is killed.
 */
#define DRAIN_INTERVAL_MS 250

struct reader_thread {
	pthread_t thread;
	struct recorder *recorder;
	unsigned reader;
	sys_cpus affinity;
	pid_t tid;
	bool started;
	struct strobe_error *error;
};

/* The sinks that records pass on their way to a file: stacks are joined with their samples, then files with code are noted. */
struct record_path {
	struct chain_sink chain;
	struct record_objects objects;
};

struct recorder {
	struct recorder_options o; /* capture: as opened on this machine */
	struct recorder_host host;
	const struct sys *sys;
	struct event_set events, trigger_events;
	struct capture *capture;
	struct capture *trigger; /* of switch_events */
	struct record_output output;
	struct record_path path;   /* of the main thread */
	struct record_path *parts; /* of the files of a directory */
	unsigned parts_nr;
	struct task_filter *filter; /* NULL: events are opened on tasks */
	bool lacks_filter;          /* not permitted, or not supported by the kernel */
	struct probe_samples *probes; /* NULL: no event is a probe */
	struct walked_stacks *stacks; /* by a BPF program; or NULL */
	struct stack_unwinder *unwinder;
	enum callgraph_mode requested_stacks;
	bool requested_identifier;
	struct workload workload;
	struct control control;
	struct reader_masks masks;
	struct reader_thread *threads; /* NULL: the main thread reads rings */
	unsigned threads_nr;
	sem_t ready; /* posted by each thread once it knows its ID, and filters may be set */
	int stop_fd; /* eventfd for the threads */
	int delay_fd, switch_fd;
	size_t delay_step;         /* next edge of the schedule: start and end of each range in turn */
	uint64_t file_start_bytes; /* bytes written before this file */
	unsigned files;
	int signal; /* that ended it, or 0 */
	bool done, has_facts;
	bool is_round_due; /* records were written since the last FINISHED_ROUND */
	bool gone; /* all recorded tasks have ended */
};

void recorder_say(const struct recorder *r, enum recorder_message kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* files.c */
/* The sink of the main thread: the file, or in a directory its file "data". */
struct record_sink *recorder_sink(struct recorder *r);
/* Properties of the machine for the header, read once. */
void recorder_fill_facts(struct recorder *r);
struct strobe_error *recorder_begin_file(struct recorder *r) _must_check_;
/* Writes the content of the rings and completes the file. *ret_name is borrowed from the output. */
struct strobe_error *recorder_end_file(struct recorder *r, const char **ret_name) _must_check_;
struct strobe_error *recorder_switch_file(struct recorder *r) _must_check_;
bool recorder_is_switch_due(const struct recorder *r);
/* Ends a round of reading with the bytes of records, unless some are held until the tables for their stacks are made. */
struct strobe_error *recorder_end_round(struct recorder *r, uint64_t bytes) _must_check_;
/* Begins a new file, or writes overwritable rings into this one. *ret_done: false if neither applies. */
struct strobe_error *recorder_snapshot(struct recorder *r, bool switches, bool *ret_done) _must_check_;
struct strobe_error *recorder_open_trigger(struct recorder *r) _must_check_;
struct strobe_error *recorder_take_trigger(struct recorder *r) _must_check_;

/* commands.c: executes received commands. */
struct strobe_error *recorder_take_commands(struct recorder *r) _must_check_;
/* The names of events, one per line, with groups ("-g"), frequencies ("-F") or attrs ("-v"); without the last newline. */
void recorder_list_events(const struct event_set *events, const char *argument, struct strbuf *ret);

/* followed.c: BPF programs for recording tasks by CPU, if possible. Chosen before stacks. */
void recorder_choose_filter(struct recorder *r);
struct strobe_error *recorder_attach_filter(struct recorder *r) _must_check_;
void recorder_release_filter(struct recorder *r);
/* For events that are probes: whether their programs can be used here; and attaches them to the open capture. */
struct strobe_error *recorder_choose_probes(struct recorder *r) _must_check_;

/* stacks.c */
/* Adds the table of scripts in call chains to the header. */
void recorder_fill_scripts(struct recorder *r, struct env *env);
/* Settles --call-graph eh and auto, and -g, before the capture is opened. */
struct strobe_error *recorder_choose_stacks(struct recorder *r) _must_check_;
/* Adds the event of samples of waits: not a counter, and the last one. */
/* Attaches the programs to the open capture. */
struct strobe_error *recorder_attach_stacks(struct recorder *r) _must_check_;
/* Whether another mode replaces eh, so that the capture must be opened again; then `why` is destroyed. */
bool recorder_choose_other_stacks(struct recorder *r, struct strobe_error *why);
/* Whether a program walks the stacks of all samples, and so knows the files with samples. */
bool recorder_walks_all_stacks(const struct recorder *r);
/* Adds these files to r->path.objects. */
void recorder_add_walked_objects(struct recorder *r);
/* The first sink of a path that ends in `to`. */
struct record_sink *recorder_path_sink(struct recorder *r, struct record_path *path, struct record_sink *to);
/* Waits for all tables that held records need. */
struct strobe_error *recorder_settle_stacks(struct recorder *r) _must_check_;
void recorder_release_stacks(struct recorder *r);

/* threads.c: real-time priority for the calling thread, if permitted or requested. */
struct strobe_error *recorder_raise_priority(const struct recorder *r) _must_check_;
/* --threads: distributes the rings; starts the readers (their IDs are known on return); ends them. */
struct strobe_error *recorder_plan_threads(struct recorder *r) _must_check_;
struct strobe_error *recorder_start_threads(struct recorder *r) _must_check_;
struct strobe_error *recorder_join_threads(struct recorder *r) _must_check_;

/* summary.c: messages about the frequency that the kernel chose, and about the result. */
void recorder_say_freq(const struct recorder *r);
void recorder_say_notes(const struct recorder *r);
struct recorder_outcome {
	struct capture_totals totals;         /* samples: without records that only contained stacks */
	struct stack_unwinder_totals stacks;  /* of --call-graph eh; else zeros */
	const char *lost_by_event;            /* "cycles 5, faults 1"; "": the kernel does not count them */
	bool is_realtime;                     /* rings were read at real-time priority */
	uint64_t bytes;                       /* of all files */
	const char *name;                     /* of the last one */
	bool is_incomplete;
};
void recorder_say_outcome(const struct recorder *r, const struct recorder_outcome *outcome);
/* failed: the file ends early. */
void recorder_say_result(const struct recorder *r, const char *name, bool failed);
