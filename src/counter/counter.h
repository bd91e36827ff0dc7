/*
 * Counters: the events of a list, opened for counting on the CPUs and threads of a target, and read at any time.
 *
 * A counter set borrows the event list and the target map. Each event has one slot for each CPU and thread that it is counted on; a
 * slot keeps the last reading and the one before it, so that intervals are differences. Events that this machine cannot count stay
 * in the set, without slots. If counting the kernel is not permitted (perf_event_paranoid) all events are counted only in user
 * space, and their names show it. Events can also be counted by another source (a BPF program), which then fills their slots. One
 * thread at a time. Source: perf_event_open(2).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "capture/target.h"
#include "event/event.h"

struct count_reading {
	uint64_t value, enabled_ns, running_ns;
};

struct counter_slot {
	int32_t cpu;         /* -1: any */
	uint32_t thread;     /* index in the target map */
	int fd;              /* -1: not open (the thread is gone), or counted by a source */
	struct count_reading now, before;
};

struct count_source;

struct counter_event {
	const struct event *event;
	struct perf_event_attr attr;  /* as it was opened */
	const char *name;             /* as shown */
	const char *unit;             /* "": none */
	double scale;
	uint32_t leader;              /* index; the group as typed */
	uint32_t opened_leader;       /* and as it was opened: see counter_options.bundle */
	bool supported;
	int errnum;                   /* the reason if it is not */
	uint32_t first_slot, slots_nr;
	struct count_source *source;  /* counts it instead of descriptors; NULL: none */
};

/* Counts events without a descriptor for each. Its read() precedes any use of the slots. */
struct count_source {
	const struct count_source_ops *ops;
};

struct counter_set;

struct count_source_ops {
	/* Begins a run: resets counts to zero, and counts this command (0: none) in place of the last one. */
	struct strobe_error *(*open)(struct count_source *s, pid_t leader);
	/* Sets `now` in the slots of this source's events. */
	struct strobe_error *(*read)(struct count_source *s, struct counter_set *set);
	struct strobe_error *(*enable)(struct count_source *s, bool on);
	void (*destroy)(struct count_source *s);
};

enum counter_start {
	COUNTER_START_ON_EXEC, /* they start at the workload's exec */
	COUNTER_START_CALLED,  /* they start at counter_enable() */
};

struct counter_options {
	enum counter_start start;
	bool no_inherit, all_user, all_kernel;
	bool no_affinity; /* do not move to a CPU to open and close its bundles */
	/*
	 * Plain software events and tracepoints are opened as groups, so that many of them are enabled and read in one call.
	 * Counts are the same.
	 */
	bool bundle;
	/*
	 * Keep one more descriptor of each tracepoint until the set is freed. The kernel takes some 40 ms to release an otherwise
	 * unused one: so this happens once and not after each run.
	 */
	bool hold_tracepoints;
};

struct counter_set {
	const struct sys *sys;
	const struct target_map *map;
	struct arena arena;
	struct counter_options options;
	VEC(struct counter_event) events;
	VEC(struct counter_slot) slots;
	VEC(struct count_source *) sources; /* owned */
	VEC(int) held;                      /* see counter_options.hold_tracepoints */
	VEC(const char *) notes;            /* sentences for the user, in the arena */
	bool user_only;                     /* not permitted to count the kernel */
	uint64_t *buffer;                   /* of group reads */
	size_t buffer_words;
};

/* Makes the slots; nothing is opened yet, so that sources can take events over. */
void counter_init(struct counter_set *s, const struct sys *sys, const struct event_list *list, const struct target_map *map,
		  struct counter_options options);
void counter_deinit(struct counter_set *s);
/* Takes ownership of the source. Its events must have their `source` set already. */
void counter_add_source(struct counter_set *s, struct count_source *source);
/*
 * Opens all events without a source. Fails for lack of permission or resources; events that the machine lacks are marked unsupported.
 */
struct strobe_error *counter_open(struct counter_set *s) _must_check_;
/* Ends counting; slots keep their last reading, and can be opened again on another workload. */
void counter_close(struct counter_set *s);
/* Calls fn for each descriptor that the kernel is slow to close: those of tracepoints. */
void counter_each_slow_fd(const struct counter_set *s, void (*fn)(void *ctx, int fd), void *ctx);
struct strobe_error *counter_enable(struct counter_set *s, bool on) _must_check_;
/* Enables or disables the events with this name; false: none. */
bool counter_enable_named(struct counter_set *s, const char *name, bool on);
/* Sets filters of tracepoints; call when open. An error names the event. */
struct strobe_error *counter_filter(struct counter_set *s) _must_check_;
/* New readings in all slots; the former are in `before`. */
struct strobe_error *counter_read(struct counter_set *s) _must_check_;
/* Forgets all readings. */
void counter_reset(struct counter_set *s);

/*
 * --hybrid-merge: events that one name created for each kind of core ("cpu_core/cycles/", "cpu_atom/cycles/") get that name back and
 * are shown as one.
 */
void counter_merge_hybrid(struct event_list *list);
/* The events that stat counts by default; detail 0 to 3 as in -d, -dd, -ddd. */
struct strobe_error *counter_defaults(struct event_list *list, const struct sys *sys, bool system_wide,
				      unsigned detail) _must_check_;
/* Appends the events that -d adds to named ones. */
struct strobe_error *counter_defaults_detail(struct event_list *list, const struct sys *sys, unsigned detail) _must_check_;
