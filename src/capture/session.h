/*
 * A recording in progress: target, open events, ring buffers, and their records.
 *
 *	TRY(capture_open(sys, &options, &events, workload_pid, &c));  configured, opened, rings mapped; disabled
 *	... write capture_env(c) where it goes ...
 *	TRY(capture_synthesize(c, sink));                             the state at the start
 *	capture_start(c); workload_start(&w);
 *	while (!done) { poll(capture_poll_fd(c, 0)); TRY(capture_drain(c, 0, sink, &wrote)); }
 *	capture_disable(c); TRY(capture_drain(…)); TRY(capture_finish(c, sink));
 *	capture_close(c);
 *
 * The rings may be distributed to readers (capture_split), each with its own thread and sink; everything else belongs to the
 * thread that opened the session. capture_source() instead returns the rings as a record source for commands that process
 * records at once (top, trace). Nothing is printed: messages for the user are in capture_notes().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "capture/events.h"
#include "capture/options.h"
#include "capture/ring.h"
#include "capture/synth.h"
#include "capture/target.h"
#include "record/env.h"
#include "record/source.h"
#include "sys/sys.h"

struct capture;

/* Takes over *events (which must not move until capture_close()). workload: the forked child, 0 = none. */
struct strobe_error *capture_open(const struct sys *sys, const struct capture_options *options,
				  struct event_set *events, pid_t workload, struct capture **ret) _must_check_;
/* Only configures and logs the attrs, for --dry-run. */
struct strobe_error *capture_configure_only(const struct sys *sys, const struct capture_options *options,
					    struct event_set *events, bool has_workload) _must_check_;
void capture_close(struct capture *c);
/*
 * Before capture_close(), at the end of a program: slow events (tracepoints) are closed in another process (sys/leave_behind.h),
 * so that closing them here takes no time.
 */
void capture_close_later(struct capture *c);

/* Events with their ids, tracepoint formats, clock, caps of the rings; the caller adds facts (capture/environment.h). */
struct env *capture_env(struct capture *c);
const struct target_map *capture_target(const struct capture *c);
const struct event_set *capture_events(const struct capture *c);
/* Messages for the user about changed or dropped settings; owned by the session. */
size_t capture_notes(const struct capture *c, const char *const **ret);
uint64_t capture_ring_bytes(const struct capture *c);
/* True if rings are overwritten: they are read by capture_snapshot() and not drained. */
bool capture_overwrites(const struct capture *c);

/* again: for a later file, when the workload runs already and may have children. */
struct strobe_error *capture_synthesize(struct capture *c, struct record_sink *sink, bool again) _must_check_;
/* Enables what is not enabled by the workload's exec. */
void capture_start(struct capture *c);
/* Enables and disables all but the tracking event: for -D and --control. */
void capture_enable(struct capture *c);
void capture_disable(struct capture *c);
/* The same for one event by name; NULL: all. False where there is no such event. */
bool capture_set_enabled(struct capture *c, const char *event, bool on);

/*
 * Distributes the rings to n readers by CPU lists: a ring belongs to the first reader whose list has its CPU, or to none. By
 * default one reader has all rings.
 */
struct strobe_error *capture_split(struct capture *c, const sys_cpus *lists, unsigned n) _must_check_;
unsigned capture_readers(const struct capture *c);
unsigned capture_rings(const struct capture *c);
/* Sets a sink for a ring, in place of that of capture_drain(): for the files of a directory. */
void capture_set_ring_sink(struct capture *c, unsigned ring, struct record_sink *sink);
/* Each ring is read on its CPU, or on a CPU of its node. */
void capture_set_affinity(struct capture *c, bool on, bool node);
/* Readable when a ring of the reader passed its watermark or a task ended. */
int capture_poll_fd(const struct capture *c, unsigned reader);
/*
 * Moves the contents of the reader's rings to the sink; rings with less than flush_bytes are skipped unless `all`.
 * *ret_bytes is the number of bytes. With rounds, a FINISHED_ROUND follows if there were any.
 */
struct strobe_error *capture_drain(struct capture *c, unsigned reader, struct record_sink *sink, bool all, bool rounds,
				   uint64_t *ret_bytes) _must_check_;
/* The content of overwriting rings, oldest records that are whole first within each ring. */
struct strobe_error *capture_snapshot(struct capture *c, struct record_sink *sink, uint64_t *ret_bytes) _must_check_;
/* The poll fd was readable: reading the state of a ring resets it, so that only its reader can count. */
void capture_count_wakeup(struct capture *c, unsigned reader);
/* Handles events of the poll fd; true: all targets have ended. */
bool capture_tasks_gone(struct capture *c, unsigned reader);
/* Excludes one of our threads from the tracepoints of a system-wide session, before they count. */
void capture_exclude_thread(struct capture *c, pid_t tid);
struct strobe_error *capture_apply_filters(struct capture *c) _must_check_;

/* Writes LOST_SAMPLES for samples dropped by the kernel, and sets the totals. */
struct strobe_error *capture_finish(struct capture *c, struct record_sink *sink) _must_check_;

struct capture_totals {
	uint64_t samples, records, bytes;
	uint64_t lost_events;  /* from LOST records in the stream */
	uint64_t lost_samples; /* from the events' counters; includes the same losses if both are available */
	uint64_t throttled;
	uint64_t exits; /* of tasks */
	uint64_t first_ns, last_ns; /* of samples; 0 where none had a time */
	uint64_t wakeups;
};
struct capture_totals capture_totals(const struct capture *c);
/* Resets the times in the totals, for a new file. */
void capture_forget_times(struct capture *c);
/* Lost samples by event index; valid after capture_finish(). */
uint64_t capture_lost_of_event(const struct capture *c, size_t event);

/* The rings as a source: rounds are marked by FINISHED_ROUND; at the end of each round next() gives *ret_end. */
struct record_source *capture_source(struct capture *c);
