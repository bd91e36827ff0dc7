#include "capture/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/sample.h"

#define BOUNCE_BYTES 65536
/*
 * Maximum size of a run: large enough for efficient writes, small enough that what was read here is still near the processor when the sink
 * reads it again, and its copy when it is written.
 */
#define PIECE_BYTES (64u << 10)
/*
 * The next record is only known from the header of the one before, so that each would wait for memory: prefetches some records ahead.
 */
#define AHEAD_BYTES 2048
#define CACHE_LINE  64

struct strobe_error *ring_map(struct ring *r, const struct sys *sys, int fd, uint64_t bytes, int cpu, bool backward)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* An overwriting ring is mapped read-only: the kernel then never waits for a reader. */
	int prot = backward ? PROT_READ : PROT_READ | PROT_WRITE;
	void *p = sys_mmap(sys, bytes + page, prot, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot map a ring buffer of %llu KB", (unsigned long long)(bytes >> 10));
	*r = (struct ring){
		.sys = sys,
		.page = p,
		.data = (uint8_t *)p + page,
		.bytes = bytes,
		.fd = fd,
		.cpu = cpu,
		.backward = backward,
	};
	return NULL;
}

void ring_unmap(struct ring *r)
{
	if (r->page)
		sys_munmap(r->sys, r->page, r->bytes + (size_t)sysconf(_SC_PAGESIZE));
	free(r->bounce);
	*r = (struct ring){ .fd = -1 };
}

/* Pairs with the kernel's release of data_head: what is before head has been written. */
static uint64_t load_head(const struct ring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

/* Nothing is read from the freed space after this. */
static void store_tail(struct ring *r)
{
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

uint64_t ring_pending(const struct ring *r)
{
	return load_head(r) - r->tail;
}

static inline void count_record(struct ring_stats *st, const struct perf_event_header *h, uint64_t *last_ns)
{
	uint64_t v;
	st->records++;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		st->samples++;
		if (st->time_offset != SAMPLE_NO_OFFSET && h->size >= st->time_offset + 8u)
			memcpy(last_ns, (const uint8_t *)h + st->time_offset, 8);
		if (st->first_ns == UINT64_MAX && *last_ns)
			st->first_ns = *last_ns;
		break;
	case PERF_RECORD_LOST:
		if (h->size >= sizeof(*h) + 16) {
			memcpy(&v, (const uint8_t *)h + sizeof(*h) + 8, 8);
			st->lost_records++;
			st->lost_events += v;
		}
		break;
	case PERF_RECORD_EXIT:
		st->exits++;
		break;
	case PERF_RECORD_THROTTLE:
		st->throttled++;
		break;
	default:
		break;
	}
}

/* Rings are drained one after the other: the first sample of all is the smallest of their firsts. */
static void merge_times(struct ring_stats *st, uint64_t first, uint64_t last)
{
	if (first < st->first_ns)
		st->first_ns = first;
	if (last > st->last_ns)
		st->last_ns = last;
}

void ring_stats_count(struct ring_stats *st, const void *records, size_t bytes)
{
	uint64_t first = st->first_ns, last = 0;
	st->first_ns = UINT64_MAX;
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= bytes;) {
		const struct perf_event_header *h = (const void *)((const uint8_t *)records + at);
		if (h->size < sizeof(*h))
			break;
		count_record(st, h, &last);
		at += h->size;
	}
	st->bytes += bytes;
	uint64_t mine = st->first_ns;
	st->first_ns = first;
	merge_times(st, mine, last);
}

static const struct perf_event_header *header_at(const struct ring *r, uint64_t pos)
{
	/* Records are multiples of 8 bytes and so is the ring: a header never straddles its end. */
	return (const void *)(r->data + (pos & (r->bytes - 1)));
}

static const void *join(struct ring *r, uint64_t pos, size_t size)
{
	if (!r->bounce)
		r->bounce = xmalloc(BOUNCE_BYTES);
	size_t first = (size_t)(r->bytes - (pos & (r->bytes - 1)));
	memcpy(r->bounce, r->data + (pos & (r->bytes - 1)), first);
	memcpy(r->bounce + first, r->data, size - first);
	return r->bounce;
}

/*
 * Passes the records of [from, to) to the sink in contiguous runs. `release` returns space to the kernel after each run.
 */
static struct strobe_error *deliver(struct ring *r, uint64_t from, uint64_t to, bool release, struct record_sink *sink,
				    struct ring_stats *st)
{
	uint64_t first = st->first_ns, last = 0;
	st->first_ns = UINT64_MAX;
	struct strobe_error *err = NULL;
	while (from < to && !err) {
		uint64_t start = from;
		uint64_t end_of_ring = (from | (r->bytes - 1)) + 1;
		uint64_t limit = from + PIECE_BYTES;
		while (from < to && from < limit) {
			const struct perf_event_header *h = header_at(r, from);
			/* Impossible with a correct kernel; stopping is better than an endless loop. */
			if (h->size < sizeof(*h) || h->size > to - from) {
				err = error_create(ERROR_FORMAT, "invalid record size in a ring buffer of CPU %d",
						   r->cpu);
				break;
			}
			if (from + h->size > end_of_ring)
				break;
			for (unsigned i = 0; i < h->size; i += CACHE_LINE)
				__builtin_prefetch((const char *)h + AHEAD_BYTES + i);
			count_record(st, h, &last);
			from += h->size;
		}
		if (from > start && !err) {
			err = sink_write(sink, header_at(r, start), from - start);
			st->bytes += from - start;
		} else if (!err) {
			size_t size = header_at(r, from)->size;
			const struct perf_event_header *h = join(r, from, size);
			count_record(st, h, &last);
			err = sink_write(sink, h, size);
			st->bytes += size;
			from += size;
		}
		if (release && !err) {
			r->tail = from;
			store_tail(r);
		}
	}
	uint64_t mine = st->first_ns;
	st->first_ns = first;
	merge_times(st, mine, last);
	return err;
}

struct strobe_error *ring_drain(struct ring *r, struct record_sink *sink, struct ring_stats *st)
{
	return deliver(r, r->tail, load_head(r), true, sink, st);
}

/*
 * An overwriting ring grows downwards: the newest record begins at head, older ones follow upwards until the area wraps
 * around into what was overwritten. Runs once per snapshot while output is paused.
 */
struct strobe_error *ring_drain_backward(struct ring *r, struct record_sink *sink, struct ring_stats *st)
{
	uint64_t head = load_head(r), end = head;
	/* Positions count down from 0 (and wrap); this snapshot stops at the end of the last one. */
	uint64_t avail = r->backward_end - head;
	if (avail > r->bytes)
		avail = r->bytes;
	while (end - head + sizeof(struct perf_event_header) <= avail) {
		uint16_t size = header_at(r, end)->size;
		if (size < sizeof(struct perf_event_header) || size > avail - (end - head))
			break; /* the oldest record was overwritten in part */
		end += size;
	}
	r->backward_end = head;
	if (end == head)
		return NULL;
	/* Positions below zero wrap; deliver() requires from < to. */
	uint64_t base = r->bytes * 4;
	uint64_t from = (head & (r->bytes - 1)) + base;
	return deliver(r, from, from + (end - head), false, sink, st);
}

bool ring_next(struct ring *r, struct record *ret)
{
	uint64_t head = load_head(r);
	/* The caller is done with the record before. */
	if (r->page->data_tail != r->tail)
		store_tail(r);
	if (r->tail >= head)
		return false;
	const struct perf_event_header *h = header_at(r, r->tail);
	size_t size = h->size;
	if (size < sizeof(*h) || size > head - r->tail)
		return false;
	if ((r->tail & (r->bytes - 1)) + size > r->bytes)
		h = join(r, r->tail, size);
	*ret = (struct record){ .hdr = h, .file_offset = r->tail };
	r->tail += size;
	return true;
}
