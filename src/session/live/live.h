/*
 * The running system → a profile that goes on: samples are read from ring buffers or aggregated in the kernel (counters.h), and each
 * refresh adds what came since the last one to a history.
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
 * l.history.profile is what has been counted, as the history's mode says; it lives until the next refresh. The struct must not move
 * once it is open. What options point at is borrowed until live_close(); the resolver too, which is destroyed after it, with its
 * source. Times are nanoseconds of CLOCK_MONOTONIC. Messages go through the host. One thread.
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

/* What may change while it runs: live_apply() afterwards. */
struct live_settings {
	double delay_s;                /* between refreshes */
	bool last_only;                /* the profile is of the last refresh, not of all with older counts decaying */
	bool hide_kernel, hide_user;   /* samples in them are left out from now on */
};

struct live_options {
	const struct sys *sys;
	const struct session_host *host;
	struct capture_options *capture; /* completed by live_open() with what a live profile needs */
	struct event_list *events;       /* an empty one gets the default event of the machine */
	const struct live_settings *settings;
	bool show_self;                  /* samples of this process count */
	bool with_waits;                 /* of threads, besides: as record --wall has them; through rings */
	bool use_rings;                  /* samples come through rings, even where the kernel could aggregate them */
	bool is_recorded;                /* live_record() follows: likewise */
	bool verbose;                    /* say which of both it is */
};

/* What is to be counted. */
struct live_request {
	struct resolver *resolver;
	bool by_labels;             /* rows differ by labels of samples alone (report_by_labels()) */
	const char *ignore_callees; /* regex: stacks end at these functions; NULL: whole stacks */
};

/* Takes what comes out of the rings to the resolver and to a recording. */
struct live_sink {
	struct record_sink sink;
	struct record_sink *samples, *file; /* file: or NULL */
};

struct live_session {
	struct live_options o;
	struct event_set events;
	struct capture *capture;
	struct walked_stacks *stacks; /* of CALLGRAPH_EH, and of waits; or NULL */
	struct task_filter *filter;   /* whose waits are recorded; NULL: those of all tasks */
	struct probe_samples *probes; /* of events that are probes; or NULL */
	struct live_request request;
	struct resolve_live *resolve;
	struct live_counters *counters; /* in place of samples, or NULL */
	struct record_output output;    /* of live_record() */
	bool has_output;
	struct live_sink sink;
	struct history history;
	struct report_refresh refresh;  /* the last one */
	uint64_t last_ns;               /* when it was */
	bool has_ended;                 /* every task that is watched has: live_look() */
};

/* Opens the events. live_close() in any case; of a zeroed struct it does nothing. */
struct strobe_error *live_open(struct live_session *l, const struct live_options *options) _must_check_;
void live_close(struct live_session *l);
/* Events and machine, as samples refer to them; the session's. */
struct env *live_env(const struct live_session *l);
/* For a resolver: it has no records, since these come through live_drain(). The caller's. */
struct record_source *live_source(struct live_session *l);
/* Begins an empty history. */
void live_resolve(struct live_session *l, const struct live_request *request);
/* Everything that is read from now on goes into a file too, which appears under its name once live_synthesize() is done. */
struct strobe_error *live_record(struct live_session *l, const char *path) _must_check_;
/* Processes and mappings that exist. */
struct strobe_error *live_synthesize(struct live_session *l) _must_check_;
/* Events count from now on. */
struct strobe_error *live_start(struct live_session *l) _must_check_;
void live_stop(struct live_session *l);
/* After live_stop(): reads what is left into the recording, where there is one, and says what it has. */
struct strobe_error *live_finish_recording(struct live_session *l) _must_check_;
/* Completes live_env() with what a recording says of the machine and of the command that made it. */
void live_complete_env(struct live_session *l);

uint64_t live_now_ns(const struct live_session *l);
/* Between two refreshes. */
uint64_t live_interval_ns(const struct live_session *l);
/* Readable when rings are to be read, or a task ended; wait no longer than wait_ms, of a refresh that is due at due_ns. */
int live_poll_fd(const struct live_session *l);
int live_wait_ms(const struct live_session *l, uint64_t due_ns);
/* After each wait: whether all tasks have ended. */
void live_look(struct live_session *l);
/* Reads the rings. */
struct strobe_error *live_drain(struct live_session *l) _must_check_;
/* Reads what came up to now, and makes it the last slice of the history. */
struct strobe_error *live_refresh(struct live_session *l) _must_check_;

/* Settings have changed. */
void live_apply(struct live_session *l);
/* Events count, or not. */
void live_enable(struct live_session *l, bool on);
/* Rows differ by address from now on, as code needs them; what was counted before is forgotten: it has none. */
void live_separate_addresses(struct live_session *l);
