/*
 * A run of `strobe record`, shared by its files: cmd_record.c (the run), record_threads.c (readers), record_say.c
 * (messages).
 */
#pragma once
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "bpf/task_filter.h"
#include "bpf/unwind/chain_sink.h"
#include "capture/control.h"
#include "capture/schedule.h"
#include "capture/session.h"
#include "capture/workload.h"
#include "cmd/cmd.h"
#include "cmd/record/options.h"
#include "recording/output.h"
#include "cmd/signals.h"
#include "session/record_objects.h"

/*
 * Rings are looked at that often whatever their watermark says, so that a file is not much behind what happened when
 * the recorder is killed.
 */
#define DRAIN_INTERVAL_MS 250

struct reader_thread {
	pthread_t thread;
	struct recording *rec;
	unsigned reader;
	sys_cpus affinity;
	pid_t tid;
	bool started;
	struct strobe_error *error;
};

struct recording {
	struct cmd_context *ctx;
	struct record_options *o;
	const struct sys *sys;
	struct event_set events, trigger_events;
	struct capture *capture;
	struct capture *trigger; /* --switch-output-event */
	struct record_output output;
	struct task_filter *filter; /* NULL: events are opened on tasks */
	bool lacks_filter;          /* for want of rights, or of a kernel that can */
	/* --call-graph eh; unwinder is NULL without. */
	struct stack_unwinder *unwinder;
	struct symbols *symbols;
	struct env *symbols_env;
	struct foreign_files *foreign_files;
	struct chain_sink chain;        /* before the sink of the main thread */
	struct chain_sink *part_chains; /* before those of --threads */
	unsigned part_chains_nr;
	struct record_objects objects;       /* before the file, behind the chains */
	struct record_objects *part_objects; /* of the parts of --threads, as many as chains */
	struct workload workload;
	char **argv; /* of the workload */
	struct control control;
	struct reader_masks masks;
	struct reader_thread *threads; /* of --threads; NULL: the main thread reads */
	unsigned threads_nr;
	sem_t ready;  /* posted by each thread once it knows its ID, and filters may be set */
	int stop_fd;             /* eventfd for the threads */
	struct cmd_signals signals;
	int delay_fd, switch_fd;
	size_t delay_step;         /* next edge of the schedule: start and end of each range in turn */
	uint64_t file_start_bytes; /* what had been written when this file was begun */
	int signal;                /* that ended it, or 0 */
	bool done, filled;
	bool gone; /* all tasks that were recorded have ended */
	unsigned files;
};

/* A line for the user, unless -q. */
void record_say(const struct recording *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The reference's bracketed lines, which scripts look for. */
void record_report(const struct recording *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void record_say_notes(const struct recording *r);
void record_say_freq(const struct recording *r);
/* What came of it; failed: the file ends early. */
void record_say_result(const struct recording *r, const char *name, bool failed);

/* How much stack --call-graph dwarf copies where nothing else is said. */
#define RECORD_DUMP_BYTES 8192

/* Loads the programs that let tasks be recorded by CPU, where that is possible; before stacks are chosen. */
void record_choose_filter(struct recording *r);
struct strobe_error *record_attach_filter(struct recording *r) _must_check_;
void record_release_filter(struct recording *r);
/* Settles --call-graph eh and auto, before the capture is opened. */
struct strobe_error *record_choose_stacks(struct recording *r) _must_check_;
/* The sink that joins stacks with their samples on the way to `to`; without eh, `to` itself. */
struct record_sink *record_join_stacks(struct recording *r, struct chain_sink *chain, struct record_sink *to);
void record_release_stacks(struct recording *r);
/* Real-time priority for the calling thread, where that is permitted or asked for. */
struct strobe_error *record_raise_priority(const struct recording *r) _must_check_;
/* --threads: shares the rings out; starts the readers (they know their ids on return); ends them. */
struct strobe_error *record_plan_threads(struct recording *r) _must_check_;
struct strobe_error *record_start_threads(struct recording *r) _must_check_;
struct strobe_error *record_join_threads(struct recording *r) _must_check_;
