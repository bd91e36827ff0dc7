/*
 * The tasks that a recording by CPU follows. Events of whole CPUs sample all processes: a BPF program keeps the samples of
 * these tasks (bpf/task_filter.h); their mappings, names, forks and exits come from events on the tasks, or with tracks_all
 * (capture/options.h), among those of all tasks, from events of CPUs.
 *
 * A bit for each ID of a process (or thread), set and cleared by BPF programs as tasks are made; it remains set after its
 * task has ended, until the ID is reused. The memory belongs to its creator and may change at any time; reading
 * it is safe from any thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/events.h"
#include "capture/target.h"

struct followed_tasks {
	const uint64_t *bits;
	uint32_t nr;    /* of IDs: bits */
	bool by_thread; /* IDs are those of threads, else of processes */
};

/* An error that says why the events cannot be recorded by CPU, or NULL. target: without CPUs, and not the whole system. */
const char *followed_obstacle(const struct event_set *events, const struct capture_options *o);

/* Whether any of them still runs. */
bool followed_is_alive(const struct followed_tasks *f, const struct sys *sys);
