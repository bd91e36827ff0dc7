/*
 * Parses events (-e) to a list of perf_event_attr with further settings of each.
 *
 *	struct event_list list;
 *	event_list_init(&list);
 *	TRY(event_parse(&list, sys, "{cycles,instructions}:u,sched:sched_*"));
 *	for (size_t i = 0; i < list.events.len; i++) open(&list.events.data[i]);
 *	event_list_deinit(&list);
 *
 * The list owns its events; all their strings are in its arena (code that sets filter or cgroup copies them there). An attr
 * only has the settings of the event text, not those of options of record or stat: sample_period is 0 if none was given, except
 * for tracepoints, breakpoints and bpf-output, where every event is one sample; sample_type has the fields without which the
 * event is useless (RAW, TIME and CPU of a tracepoint). Terms that are not in the attr are in `terms`, with a bit in terms.set
 * for each that was given.
 *
 * Errors are ERROR_USAGE with one line that names the column, or ERROR_PERMISSION and ERROR_UNSUPPORTED from the kernel. A list
 * that could not be extended is unchanged. One thread at a time. Source: perf_event_open(2), perf-list(1),
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "sys/cpus.h"
#include "sys/perf_abi.h"
#include "sys/sys.h"

enum event_kind {
	EVENT_HARDWARE,
	EVENT_SOFTWARE,
	EVENT_CACHE,
	EVENT_RAW, /* rNNN and TYPE:CONFIG */
	EVENT_PMU, /* pmu/terms/, or a name of a PMU's events directory */
	EVENT_TRACEPOINT,
	EVENT_BREAKPOINT,
	EVENT_PROBE, /* u:FILE:PLACE(ARGUMENTS), k:…: see struct event_probe */
	EVENT_TOOL, /* counted by strobe stat itself; the attr is a dummy */
};

enum event_tool { EVENT_TOOL_NONE, EVENT_TOOL_DURATION_TIME, EVENT_TOOL_USER_TIME, EVENT_TOOL_SYSTEM_TIME };

/* Bits of event_terms.set. */
enum event_term {
	EVENT_TERM_PERIOD = 1 << 0,
	EVENT_TERM_FREQ = 1 << 1,
	EVENT_TERM_TIME = 1 << 2,
	EVENT_TERM_CALL_GRAPH = 1 << 3,
	EVENT_TERM_STACK_SIZE = 1 << 4,
	EVENT_TERM_INHERIT = 1 << 5,
	EVENT_TERM_MAX_STACK = 1 << 6,
	EVENT_TERM_MAX_EVENTS = 1 << 7,
	EVENT_TERM_OVERWRITE = 1 << 8,
	EVENT_TERM_PERCORE = 1 << 9,
	EVENT_TERM_AUX_OUTPUT = 1 << 10,
	EVENT_TERM_AUX_SAMPLE_SIZE = 1 << 11,
	EVENT_TERM_BRANCH_TYPE = 1 << 12,
	EVENT_TERM_NAME = 1 << 13,
	EVENT_TERM_DRIVER_CONFIG = 1 << 14,
	EVENT_TERM_METRIC_ID = 1 << 15,
	EVENT_TERM_AUX_ACTION = 1 << 16,
	EVENT_TERM_CPU = 1 << 17,
};

#define EVENT_FREQ_MAX UINT64_MAX /* freq=max: kernel.perf_event_max_sample_rate */

enum event_call_graph { EVENT_CALL_GRAPH_NO, EVENT_CALL_GRAPH_FP, EVENT_CALL_GRAPH_DWARF, EVENT_CALL_GRAPH_LBR };

/*
 * A probe without a definition in tracefs, as typed: "u:FILE:PLACE(ARGUMENTS)", "k:PLACE(ARGUMENTS)", with "ur:" and "kr:" for
 * function returns. It is resolved later (probe/inline.h): then the event has the name and the format of the tracepoint that tracefs
 * would create.
 */
struct event_probe {
	const char *path;       /* of the program; NULL: the kernel */
	const char *definition; /* as an argument of strobe probe: "zfree p=%di sz" */
	bool is_return;
};

/* Terms for one event; they override the options of the command. */
struct event_terms {
	uint32_t set;
	uint64_t period, freq;
	bool time, inherit, overwrite, percore, aux_output;
	enum event_call_graph call_graph;
	uint32_t stack_size; /* bytes of user stack for dwarf */
	uint32_t max_stack;
	uint64_t max_events; /* nr=: maximum number of events (trace) */
	uint32_t aux_sample_size;
	uint32_t aux_action;     /* PERF_ABI_AUX_*: also in the attr */
	const char *branch_type; /* an argument of -j */
	const char *metric_id;
	const char **driver_configs; /* "@x=y" without @ */
	size_t driver_configs_nr;
};

struct event {
	enum event_kind kind;
	const char *name;            /* what the user typed, or name= */
	struct perf_event_attr attr; /* size is PERF_ABI_ATTR_BYTES */
	uint64_t config3, config4;   /* for sys_perf_event_open_wide() */

	uint32_t leader;        /* index of its group's leader in the list: its own if it is not in a group */
	const char *group_name; /* NAME{…}, or NULL */
	bool weak_group;        /* :W: undo the group if it cannot be scheduled */
	bool sample_read;       /* :S: the leader samples, the members are read with it */
	bool precise_max;       /* :P: as precise as the PMU can */
	bool bpf_counter;       /* :b */
	bool guest_host_set;    /* G or H was given, so defaults do not apply */

	const char *filter; /* for --filter */
	const char *cgroup; /* for -G */

	struct event_terms terms;

	const char *system, *tracepoint; /* the id is attr.config */

	/* Of a probe: */
	const struct event_probe *probe;
	const void *code;   /* its resolution, see probe/inline.h; NULL: not resolved yet */
	const char *format; /* the text that tracefs would have */

	const char *pmu;  /* name in sysfs, or NULL */
	sys_cpus cpus;    /* on which its PMU counts; empty: all */
	bool uncore;      /* counts a socket, not a task: open on `cpus` with pid -1 */
	bool merge;       /* one of several PMUs of a single text: stat sums them */
	const char *unit; /* of the scaled count, or NULL */
	double scale;     /* 1.0 where none */
	bool per_package, snapshot;
	bool may_lack;    /* a default of stat: not shown if the machine cannot count it */

	enum event_tool tool;
};

struct event_list {
	struct arena arena;
	VEC(struct event) events;
};

void event_list_init(struct event_list *list);
void event_list_deinit(struct event_list *list);

/* Appends the events of an argument of -e. */
struct strobe_error *event_parse(struct event_list *list, const struct sys *sys, const char *text) _must_check_;

/* Whether a text begins like a probe: "u:", "ur:", "k:", "kr:". */
bool event_is_probe(const char *text);

/* Zeroed except size and exclude_guest, which perf always sets. */
void event_attr_defaults(struct perf_event_attr *attr);
/* Appends an event with the defaults; valid until the next one is appended. */
struct event *event_list_add(struct event_list *list, enum event_kind kind, uint32_t type, uint64_t config,
			     const char *name);
/*
 * --filter: adds a filter to each event from the index on, which must be tracepoints or probes; combined with existing filters.
 * ERROR_USAGE.
 */
struct strobe_error *event_list_add_filter(struct event_list *list, size_t from, const char *filter) _must_check_;
/* -G: the n-th name is for the n-th event, a single one for all events without a cgroup. */
struct strobe_error *event_list_set_cgroups(struct event_list *list, const char *names) _must_check_;
/*
 * Applies modifiers ("u", "kpp", "S"). As in perf the modifiers of an event start from the defaults, those of a group add to the
 * event's. Returns NULL, or the first invalid character.
 */
const char *event_apply_modifiers(struct event *e, const char *modifiers, bool of_group);
