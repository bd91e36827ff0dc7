/*
 * One kernel ring buffer: mapped, and read in place.
 *
 * ring_drain() passes complete records to a sink directly from the mapping; only a record that wraps at the end is
 * copied to a bounce buffer. Space is released to the kernel piece by piece while draining. It counts samples, losses,
 * and the times of the first and last sample. Overwriting rings (write_backward) are read by
 * ring_drain_backward() while their output is paused. A ring belongs to one thread at a time.
 * Source: perf_event_open(2), "MMAP layout"; kernel/events/ring_buffer.c for the order of memory accesses.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/source.h"
#include "sys/sys.h"

struct ring {
	const struct sys *sys;
	struct perf_event_mmap_page *page; /* NULL while not mapped */
	uint8_t *data;
	uint64_t bytes;        /* of data, a power of two */
	uint64_t tail;         /* read position */
	uint64_t backward_end; /* of an overwriting ring: end of the last read */
	int fd;                /* of the event that owns it; borrowed */
	int cpu;               /* -1: of a thread */
	bool backward;
	uint8_t *bounce; /* 64 KB, made on first need */
};

struct ring_stats {
	uint64_t samples, records, bytes;
	uint64_t lost_records, lost_events; /* number of LOST records, and the sum of their counts */
	uint64_t throttled, aux_lost, exits;
	uint64_t first_ns, last_ns; /* of samples; first is UINT64_MAX while there is none */
	uint16_t time_offset;       /* of the time in a sample, or SAMPLE_NO_OFFSET */
};

struct strobe_error *ring_map(struct ring *r, const struct sys *sys, int fd, uint64_t bytes, int cpu,
			      bool backward) _must_check_;
void ring_unmap(struct ring *r);
/* Bytes to be read at this moment. */
uint64_t ring_pending(const struct ring *r);
struct strobe_error *ring_drain(struct ring *r, struct record_sink *sink, struct ring_stats *stats) _must_check_;
struct strobe_error *ring_drain_backward(struct ring *r, struct record_sink *sink,
					 struct ring_stats *stats) _must_check_;
/* Counts one run of whole records; also for records that do not come from a ring. */
void ring_stats_count(struct ring_stats *stats, const void *records, size_t bytes);
/* The next record in place (or in the bounce buffer); false: none. Released by the next call. */
bool ring_next(struct ring *r, struct record *ret);
