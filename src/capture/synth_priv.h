/*
 * Building records in memory, for the files of synth.
 */
#pragma once
#include <linux/perf_event.h>
#include <string.h>

#include "base/out.h"
#include "capture/synth.h"

/* Appends a zeroed record of `bytes` (a multiple of 8) plus the trailer and returns its first byte; valid until the
 * next. */
static inline uint8_t *synth_record(struct out *o, uint32_t type, uint16_t misc, size_t bytes, uint16_t tail_bytes)
{
	size_t size = bytes + tail_bytes;
	uint8_t *p = (uint8_t *)out_reserve(o, size);
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };
	memset(p, 0, size);
	memcpy(p, &h, sizeof(h));
	o->len += size;
	return p;
}

static inline size_t synth_align(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* Empties the buffer into the sink. */
struct strobe_error *synth_flush(struct out *o, struct record_sink *sink) _must_check_;

struct synth_map {
	uint32_t pid, tid;
	uint64_t start, end, pgoff;
	uint32_t maj, min;
	uint64_t ino;
	uint32_t prot, flags;
	uint8_t build_id[20];
	uint8_t build_id_len;
	const char *name;
	size_t name_len;
	uint16_t cpumode;
};

/* An MMAP2 record. */
void synth_map_record(struct out *o, const struct synth_map *m, uint16_t tail_bytes);
