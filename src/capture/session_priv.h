/*
 * Shared by the files of the capture session.
 */
#pragma once
#include "base/out.h"
#include "base/vector.h"
#include "capture/session.h"

struct capture_reader {
	VEC(uint32_t) rings; /* indexes */
	int epoll_fd;
	struct ring_stats stats;
	uint64_t wakeups;
};

struct capture {
	const struct sys *sys;
	struct capture_options options;
	struct event_set *events;
	struct target_map map;
	struct env *env;
	VEC(struct ring) rings;
	VEC(struct capture_reader) readers;
	uint64_t ring_bytes;
	size_t live_tasks; /* (CPU, thread) pairs that have not hung up */
	bool counts_tasks; /* the end of all tasks ends the recording */
	size_t task_event;  /* whose descriptors show that their task has ended */
	uint64_t looked_ns; /* last check for followed tasks */
	bool has_backward;
	struct record_sink **ring_sinks; /* by ring, or NULL */
	bool affine, affine_node;
	struct sys_topology topology; /* read where affinity is by node */
	VEC(pid_t) excluded;
	VEC(int) processes; /* descriptors of those that are followed */
	VEC(const char *) notes; /* in events' arena or static */
	uint64_t *lost;          /* by event */
	uint64_t lost_samples;
	struct out tracing_data;
	uint16_t tail_bytes;
};

/* Maps rings and ties each event to one; ring.c has the single ring. */
struct strobe_error *capture_map_rings(struct capture *c) _must_check_;
/* The size of rings, before anything is open, since the watermark is part of the attr. */
uint64_t capture_choose_ring_bytes(const struct capture *c, bool *ret_large);
