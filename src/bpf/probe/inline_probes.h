/*
 * Programs at the places of inline probes (probe/inline.h), which count hits and write samples of them into the rings of perf events:
 *
 *	TRY(inline_probes_load(&options, &p));
 *	inline_probes_add_ring(p, event, cpu, fd);   for each event and CPU: a perf event of bpf-output
 *	TRY(inline_probes_attach(p));
 *	... inline_probes_enable(p, true) ...
 *	inline_probes_unload(p);
 *
 * Every task hits a probe, but hits of tasks that are not followed are ignored. Probes are removed when this process ends in any way.
 * One thread at a time. From Linux 5.17 on, with permission to load BPF programs, in the initial PID namespace.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "capture/followed.h"
#include "probe/inline.h"
#include "sys/sys.h"

struct inline_probes;

struct inline_probe_event {
	const struct probe_inline *code; /* borrowed */
	uint32_t format;                 /* the ID of its format */
	uint32_t period;                 /* hits per sample; 0: no samples */
};

struct inline_probes_options {
	const struct sys *sys;
	const struct inline_probe_event *events;
	uint32_t events_nr;
	const struct followed_tasks *followed; /* NULL: all tasks but this process */
	int followed_map;                      /* of task_filter_map() */
	const pid_t *processes;                /* only these hit the probes, not their children */
	size_t processes_nr;                   /* 0: all of the system */
	const struct target_map *map;          /* the tasks to watch: warned of where they run files that were replaced */
};

/* Loads the programs: an error says why they cannot be used here. */
struct strobe_error *inline_probes_load(const struct inline_probes_options *o, struct inline_probes **ret) _must_check_;
struct strobe_error *inline_probes_add_ring(struct inline_probes *p, uint32_t event, uint32_t cpu, int fd) _must_check_;
/* Inserts the probes, which count once they are enabled. */
struct strobe_error *inline_probes_attach(struct inline_probes *p) _must_check_;
void inline_probes_enable(struct inline_probes *p, bool on);
void inline_probes_unload(struct inline_probes *p);

/* The number of hits that passed the event's filter, on a CPU or on all (-1). */
uint64_t inline_probes_count(const struct inline_probes *p, uint32_t event, int32_t cpu);
void inline_probes_clear(struct inline_probes *p);

struct inline_probes_losses {
	uint64_t missed; /* samples; those lost to a full ring are reported by the kernel in the ring */
	uint64_t faults; /* values that could not be read, and are 0 or "(fault)" */
};
struct inline_probes_losses inline_probes_losses(const struct inline_probes *p);
/* A message about the losses, or NULL if there are none. Free it with free(3). */
char *inline_probes_losses_text(const struct inline_probes *p);
