/*
 * Decodes samples, and trailers of other records, by a layout that is compiled once per attr.
 *
 * A sample is a value; its pointers go into the record's bytes. Decoding checks every length against the record and
 * never allocates. Fields that the attr does not select are 0 (cpu is SAMPLE_NO_CPU). Source: perf_event_open(2),
 * PERF_RECORD_SAMPLE and sample_id_all.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "record/record.h"

#define SAMPLE_NO_CPU UINT32_MAX
#define SAMPLE_NO_OFFSET UINT16_MAX

/* Offsets of the fixed fields from the start of the record; SAMPLE_NO_OFFSET: absent. */
struct sample_layout {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t user_regs_mask, intr_regs_mask;
	uint16_t identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	uint16_t variable; /* first byte after the fixed fields: READ, CALLCHAIN, RAW … in their order */
	/* The trailer of other records (sample_id_all): distances from the end of the record; 0: absent. */
	uint16_t tail_bytes, tail_tid, tail_time, tail_id, tail_stream_id, tail_cpu, tail_identifier;
};

struct sample_layout sample_layout_compile(const struct perf_event_attr *attr);

struct sample_regs {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_*; 0 = none were taken */
	uint64_t mask;
	const uint64_t *values; /* one for each bit of mask, lowest first */
};

struct sample_read_value {
	uint64_t value, id, lost; /* id, lost: 0 if not in the read_format */
};

struct sample {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;    /* header.misc; cpumode is misc & PERF_RECORD_MISC_CPUMODE_MASK */
	uint32_t event;   /* index into env->events */
	struct {
		uint64_t nr, time_enabled, time_running;
		const uint64_t *values; /* raw words as laid out by read_format: sample_read_get() */
		uint64_t read_format;
	} read;
	uint64_t callchain_nr;
	const uint64_t *callchain; /* with PERF_CONTEXT_* markers, innermost first */
	uint32_t raw_bytes;
	const void *raw;
	uint64_t branch_nr, branch_hw_idx;
	bool has_branch_hw_idx;
	const struct perf_branch_entry *branches; /* newest first */
	const uint64_t *branch_counters;          /* one per branch, or NULL */
	struct sample_regs user_regs, intr_regs;
	uint64_t stack_bytes, stack_dyn_bytes; /* requested, and filled */
	const uint8_t *stack;
	uint64_t weight;                       /* whole word; with WEIGHT_STRUCT its parts are below */
	uint32_t weight1;
	uint16_t weight2, weight3;
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint64_t aux_bytes;
	const void *aux;
};

/* Decodes all fields; false: the record is shorter than its layout. `event` is not set. */
bool sample_decode(const struct sample_layout *l, struct record r, struct sample *ret);
/* The i-th counter of a group read; false where i is out of range. */
bool sample_read_get(const struct sample *s, uint64_t i, struct sample_read_value *ret);

/* The hot subset, without a full decode; the caller has checked hdr->size >= l->variable. */
static inline uint64_t sample_word(struct record r, uint16_t offset)
{
	uint64_t v;
	memcpy(&v, (const char *)r.hdr + offset, sizeof(v));
	return v;
}

/*
 * The fields needed for aggregation, decoded without the rest of a struct sample, for loops over millions. False: the
 * record is too short. Fields that the layout lacks are 0 (cpu is SAMPLE_NO_CPU).
 */
struct sample_hot {
	uint64_t ip, time, id, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;
	uint64_t callchain_nr;
	const uint64_t *callchain;
};

/* Skips READ; NULL: the record ends before it. */
const uint64_t *sample_skip_read(const struct sample_layout *l, const uint64_t *at, const uint64_t *end);

static inline bool sample_decode_hot(const struct sample_layout *l, struct record r, struct sample_hot *ret)
{
	if (__builtin_expect(r.hdr->size < l->variable, 0))
		return false;
	ret->ip = l->ip != SAMPLE_NO_OFFSET ? sample_word(r, l->ip) : 0;
	ret->time = l->time != SAMPLE_NO_OFFSET ? sample_word(r, l->time) : 0;
	ret->id = l->identifier != SAMPLE_NO_OFFSET ? sample_word(r, l->identifier)
		  : l->id != SAMPLE_NO_OFFSET       ? sample_word(r, l->id)
						    : 0;
	ret->period = l->period != SAMPLE_NO_OFFSET ? sample_word(r, l->period) : 0;
	ret->pid = ret->tid = 0;
	if (l->tid != SAMPLE_NO_OFFSET) {
		memcpy(&ret->pid, (const char *)r.hdr + l->tid, 4);
		memcpy(&ret->tid, (const char *)r.hdr + l->tid + 4, 4);
	}
	ret->cpu = SAMPLE_NO_CPU;
	if (l->cpu != SAMPLE_NO_OFFSET)
		memcpy(&ret->cpu, (const char *)r.hdr + l->cpu, 4);
	ret->misc = r.hdr->misc;
	ret->callchain_nr = 0;
	ret->callchain = NULL;
	if (l->sample_type & PERF_SAMPLE_CALLCHAIN) {
		const uint64_t *at = (const uint64_t *)((const char *)r.hdr + l->variable);
		const uint64_t *end = (const uint64_t *)((const char *)r.hdr + (r.hdr->size & ~7u));
		if (l->sample_type & PERF_SAMPLE_READ)
			at = sample_skip_read(l, at, end);
		if (__builtin_expect(!at || at >= end || *at > (uint64_t)(end - at - 1), 0))
			return false;
		ret->callchain_nr = *at;
		ret->callchain = at + 1;
	}
	return true;
}

/* Decodes the rest of such a sample. As sample_decode(). */
bool sample_decode_full(const struct sample_layout *l, struct record r, const struct sample_hot *hot, struct sample *ret);

/* The identifiers of a record that is not a sample. */
struct sample_tail {
	bool present;
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};

bool sample_tail_decode(const struct sample_layout *l, struct record r, struct sample_tail *ret);

/*
 * From the other byte order to ours, in place: bytes is writable and holds a whole record, its header swapped and its size
 * checked. What RAW, STACK_USER and AUX carry stays as recorded. False: the sample is shorter than its layout.
 */
bool sample_swap(const struct sample_layout *l, void *bytes);
/* The same for the trailer of another record. */
void sample_tail_swap(const struct sample_layout *l, void *bytes);
/* True where both decode every sample and trailer alike. */
bool sample_layout_equal(const struct sample_layout *a, const struct sample_layout *b);

/* Writes a sample as a record with this layout; returns its size; 0: exceeds cap (or 64 KB). */
size_t sample_encode(const struct sample_layout *l, const struct sample *s, void *dst, size_t cap);
/* The same for the trailer of other records. */
size_t sample_tail_encode(const struct sample_layout *l, const struct sample_tail *t, void *dst, size_t cap);
