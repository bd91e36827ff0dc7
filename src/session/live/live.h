/*
 * The running system → a continuous profile: samples are read from ring buffers or aggregated in the kernel (counters.h), and each
 * refresh adds those since the last one to a history.
 *
 *	live_open(&l, &options);                     events are open and count nothing yet
 *	… a resolver for live_source(&l), with the labels that a query needs …
 *	live_resolve(&l, &request);
 *	live_record(&l, path);                       optional: samples go to a recording too
 *	live_synthesize(&l); live_start(&l);
 *	while (…) { poll(live_poll_fd(&l), live_wait_ms(&l, due_ns)); live_drain(&l); if (…) live_refresh(&l); }
 *	live_stop(&l); live_finish_recording(&l);
 *	live_close(&l);
 *
 * l.history.profile has the counts, depending on the history's mode, and lives until the next refresh. The struct must not move
 * while it is open. Everything that the options point to is borrowed until live_close(), as is the resolver, which is destroyed
 * after it, with its source. Times are nanoseconds of CLOCK_MONOTONIC. Messages go through the host. One thread.
 */
#pragma once
#include "bpf/probe/samples.h"
#include "capture/session.h"
#include "profile/history.h"
#include "recording/output.h"
#include "recording/walked_stacks.h"
#include "report/refresh.h"
#include "resolve/live.h"
#include "session/host.h"
#include "session/live/counters.h"

/* Settings that may change at run time: call live_apply() afterwards. */
struct live_settings {
	double delay_s;                /* between refreshes */
	bool last_only;                /* only samples since the last refresh, instead of all with decay */
	bool hide_kernel, hide_user;   /* drop samples in them from now on */
};

struct live_options {
	const struct sys *sys;
	const struct session_host *host;
	struct capture_options *capture; /* completed by live_open() */
	struct event_list *events;       /* if empty, live_open() adds the machine's default event */
	const struct live_settings *settings;
	bool show_self;                  /* include samples of this process */
	bool with_waits;                 /* include waits of threads, as in record --wall; through rings */
	bool use_rings;                  /* read samples from rings, even if the kernel could aggregate them */
	bool is_recorded;                /* live_record() follows: likewise */
	bool verbose;                    /* report which of the two is used */
};

/* What to count. */
struct live_request {
	struct resolver *resolver;
	bool by_labels;             /* rows differ by labels of samples alone (report_by_labels()) */
	const char *ignore_callees; /* regex: stacks end at these functions; NULL: whole stacks */
};

/* Passes records of the rings to the resolver and to a recording. */
struct live_sink {
	struct record_sink sink;
	struct record_sink *samples, *file; /* file: or NULL */
};

struct live_session {
	struct live_options o;
	struct event_set events;
	struct capture *capture;
	struct walked_stacks *stacks; /* of CALLGRAPH_EH, and of waits; or NULL */
	struct task_filter *filter;   /* tasks whose waits are recorded; NULL: all tasks */
	struct probe_samples *probes; /* of events that are probes; or NULL */
	struct live_request request;
	struct resolve_live *resolve;
	struct live_counters *counters; /* in place of samples, or NULL */
	struct record_output output;    /* of live_record() */
	bool has_output;
	bool is_round_due; /* records were written since the last FINISHED_ROUND */
	struct live_sink sink;
	struct history history;
	struct report_refresh refresh;  /* the last one */
	uint64_t last_ns;               /* when it was */
	bool has_ended;                 /* every target has ended: live_look() */
};

/* Opens the events. live_close() in any case; of a zeroed struct it does nothing. */
struct strobe_error *live_open(struct live_session *l, const struct live_options *options) _must_check_;
void live_close(struct live_session *l);
/* Events and machine, as samples refer to them; the session's. */
struct env *live_env(const struct live_session *l);
/* A source for a resolver, without records, since these come through live_drain(). Owned by the caller. */
struct record_source *live_source(struct live_session *l);
/* Begins an empty history. */
void live_resolve(struct live_session *l, const struct live_request *request);
/* Everything that is read from now on is also written to a file, which gets its name at the end of live_synthesize(). */
struct strobe_error *live_record(struct live_session *l, const char *path) _must_check_;
/* Processes and mappings that exist. */
struct strobe_error *live_synthesize(struct live_session *l) _must_check_;
/* Events count from now on. */
struct strobe_error *live_start(struct live_session *l) _must_check_;
void live_stop(struct live_session *l);
/* Call it after live_stop(): reads the rest into the recording, if there is one, and reports its size. */
struct strobe_error *live_finish_recording(struct live_session *l) _must_check_;
/* Completes live_env() with the machine and the command line, as in a recording. */
void live_complete_env(struct live_session *l);

uint64_t live_now_ns(const struct live_session *l);
/* Between two refreshes. */
uint64_t live_interval_ns(const struct live_session *l);
/* Readable when rings must be read, or a task has ended; wait at most live_wait_ms() for a refresh that is due at due_ns. */
int live_poll_fd(const struct live_session *l);
int live_wait_ms(const struct live_session *l, uint64_t due_ns);
/* Call it after each wait: checks whether all tasks have ended. */
void live_look(struct live_session *l);
/* Reads the rings. */
struct strobe_error *live_drain(struct live_session *l) _must_check_;
/* Reads everything up to now, and makes it the last slice of the history. */
struct strobe_error *live_refresh(struct live_session *l) _must_check_;
/* In place of refreshes: adds everything since the start to a profile, whole. */
struct strobe_error *live_take(struct live_session *l, struct profile *p) _must_check_;

/* Settings have changed. */
void live_apply(struct live_session *l);
/* Events count, or not. */
void live_enable(struct live_session *l, bool on);
/* Rows are distinguished by address from now on, for code; earlier counts, which have no addresses, are dropped. */
void live_separate_addresses(struct live_session *l);
