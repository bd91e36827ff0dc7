/*
 * The events of a session: attrs as they were parsed, configured by the options, opened on CPUs × threads.
 *
 * An event set owns its events, their fds and ids. capture_events_configure() turns options into attr bits the way
 * perf does (sample_type, read_format, tracking event, dummy event); capture_events_open() opens them and falls
 * back where the kernel or missing rights require it: features that older kernels lack, precision levels, user space only under
 * perf_event_paranoid (user_only is set then). Each attr is logged at LOG_DEBUG before its first open. One
 * thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "capture/options.h"
#include "capture/target.h"
#include "event/event.h"
#include "record/env.h"

struct capture_event {
	struct perf_event_attr attr;
	uint64_t config3, config4;
	enum event_kind kind;
	const char *pmu;          /* or NULL */
	const char *name;         /* as in -e; this and the other strings in the set's arena */
	const char *unit;         /* or NULL */
	double scale;             /* 1.0 where none */
	const uint32_t *own_cpus; /* CPUs of the event's PMU; NULL = those of the target */
	uint32_t own_cpus_nr;
	bool uncore;                                     /* counts per socket: opened without a task */
	uint32_t leader;                                 /* index of its group's leader: its own when not grouped */
	const char *group_name;                          /* in a leader, or NULL */
	const char *filter;                              /* of a tracepoint, or NULL */
	const char *cgroup;                              /* path below the perf_event hierarchy, or NULL */
	const char *tracepoint_system, *tracepoint_name; /* or NULL */
	/*
	 * Of a probe without a definition in tracefs: its format; else NULL. It is opened on whole CPUs as an output of BPF programs, whose
	 * samples the file describes as those of a tracepoint. Whoever opens the session attaches the program (bpf/probe/).
	 */
	const char *format;
	const void *code; /* for that program; lives with the event's list */
	bool precise_max;                                /* :P and the default: highest level that works */
	bool sample_read;                                /* :S: the leader samples, members are read with it */
	struct event_terms terms;                        /* of the event itself: they override the options */
	/* Set by configure: */
	bool tracking;  /* has MMAP, COMM, FORK … records */
	bool immediate; /* counts from its opening on */
	bool is_dummy;  /* added by us */
	bool is_tracker; /* added by us for the event `tracks`: in the file, its IDs are that event's */
	uint32_t tracks;
	/* Set by open: */
	int *fds; /* [cpu index * threads + thread index]; -1 where not open */
	uint64_t *ids;
	uint32_t slots;
};

struct event_set {
	const struct sys *sys;
	struct arena arena;
	VEC(struct capture_event) events;
	bool user_only;                        /* no kernel samples for lack of permission */
	bool reads_no_children;                /* groups of :S do not count in children: this kernel cannot */
	const char *replaced;                  /* an event that is not supported, for which cpu-clock is recorded, or NULL */
	uint64_t requested_freq, lowered_freq; /* set where the kernel's limit made the default lower */
};

void event_set_init(struct event_set *s, const struct sys *sys);
void event_set_deinit(struct event_set *s);
/* Adds the events of a list, with copies of everything. */
void event_set_add_list(struct event_set *s, const struct event_list *list);
/* Dummy event that tracks mappings and tasks. */
uint32_t event_set_add_dummy(struct event_set *s);

struct strobe_error *capture_events_configure(struct event_set *s, const struct capture_options *o,
					      const struct target_map *map) _must_check_;
struct strobe_error *capture_events_open(struct event_set *s, const struct capture_options *o,
					 const struct target_map *map) _must_check_;
/* Sets the side-band records of an event: those requested by the options, or none. */
void capture_attr_track(struct perf_event_attr *a, bool on, const struct capture_options *o);
/* Tracepoint filters, set once they are open. An error names the event's fields. */
struct strobe_error *capture_events_filter(struct event_set *s) _must_check_;
/* Logs the attr at LOG_DEBUG, field by field. */
void capture_event_describe(const struct capture_event *e);
void capture_events_enable(struct event_set *s);
/* Enables events that are not enabled by an exec. */
void capture_events_enable_probes(struct event_set *s);
void capture_events_disable(struct event_set *s);
/* One event by name, with its group; NULL: all. False: no such event. */
bool capture_event_enable(struct event_set *s, const char *name, bool on);
/* Lost samples of one event so far, over all its fds (0 where the kernel does not count them). */
uint64_t capture_event_lost(const struct capture_event *e, uint32_t slot);
