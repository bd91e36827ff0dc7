/*
 * The tasks that a recording by CPU follows. Events of whole CPUs bring what every process does: a BPF program keeps the
 * samples of these tasks (bpf/task_filter.h), and a sink here keeps their mappings, names, forks and exits.
 *
 * A bit for each ID of a process (or thread), set and cleared by BPF programs as tasks are made; it stays set after its
 * task has ended, until the ID is used again. The memory belongs to whoever made it and may change at any time; reading
 * it is safe from any thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/events.h"
#include "capture/target.h"
#include "record/source.h"

struct followed_tasks {
	const uint64_t *bits;
	uint32_t nr;    /* of IDs: bits */
	bool by_thread; /* IDs are those of threads, else of processes */
};

/* Why the events cannot be recorded by CPU, or NULL. target: without CPUs, and not the whole system. */
const char *followed_obstacle(const struct event_set *events, const struct capture_options *o);

bool followed_has(const struct followed_tasks *f, uint32_t pid, uint32_t tid);
/* Whether any of them still runs. */
bool followed_is_alive(const struct followed_tasks *f, const struct sys *sys);

/* Passes on what is not about other tasks, without a copy. */
struct followed_sink {
	struct record_sink sink;
	struct record_sink *to;
	const struct followed_tasks *tasks;
	uint64_t left_out_records, left_out_bytes;
};
void followed_sink_init(struct followed_sink *s, const struct followed_tasks *tasks, struct record_sink *to);
