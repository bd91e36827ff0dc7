/*
 * Builds records byte by byte, for tests of readers.
 *
 * The layout is that of perf_event_open(2), implemented separately so that tests do not depend on the encoder.
 */
#pragma once
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "record/record.h"

struct record_builder {
	VEC(uint8_t) bytes;
	size_t at;           /* start of the record under construction */
	uint64_t trailer[2]; /* pid | tid << 32, time: the sample_id of TID | TIME */
	bool with_trailer;
};

static inline void build_bytes(struct record_builder *b, const void *p, size_t n)
{
	memcpy(vec_extend(&b->bytes, n), p, n);
}

static inline void build_u64(struct record_builder *b, uint64_t v)
{
	build_bytes(b, &v, 8);
}

static inline void build_u32s(struct record_builder *b, uint32_t lo, uint32_t hi)
{
	build_bytes(b, &lo, 4);
	build_bytes(b, &hi, 4);
}

static inline void build_string(struct record_builder *b, const char *s)
{
	build_bytes(b, s, strlen(s) + 1);
	while (b->bytes.len % 8)
		build_bytes(b, "", 1);
}

static inline void build_start(struct record_builder *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	b->at = b->bytes.len;
	build_bytes(b, &h, sizeof(h));
}

/* The record is valid until the next one is built. */
static inline struct record build_end(struct record_builder *b)
{
	struct perf_event_header *h = (struct perf_event_header *)(b->bytes.data + b->at);
	if (b->with_trailer && h->type != PERF_RECORD_SAMPLE && h->type < RECORD_USER_FIRST) {
		build_u32s(b, (uint32_t)b->trailer[0], (uint32_t)(b->trailer[0] >> 32));
		build_u64(b, b->trailer[1]);
		h = (struct perf_event_header *)(b->bytes.data + b->at);
	}
	h->size = (uint16_t)(b->bytes.len - b->at);
	return (struct record){ .hdr = h, .file_offset = b->at };
}

static inline struct record build_comm(struct record_builder *b, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	build_start(b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	build_u32s(b, pid, tid);
	build_string(b, comm);
	return build_end(b);
}

static inline struct record build_task(struct record_builder *b, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid,
				       uint32_t ptid, uint64_t time)
{
	build_start(b, type, 0);
	build_u32s(b, pid, ppid);
	build_u32s(b, tid, ptid);
	build_u64(b, time);
	return build_end(b);
}

static inline struct record build_mmap2(struct record_builder *b, uint16_t misc, uint32_t pid, uint32_t tid, uint64_t start,
					uint64_t len, uint64_t pgoff, uint64_t ino, const char *name)
{
	build_start(b, PERF_RECORD_MMAP2, misc);
	build_u32s(b, pid, tid);
	build_u64(b, start);
	build_u64(b, len);
	build_u64(b, pgoff);
	build_u32s(b, ino ? 8 : 0, ino ? 1 : 0);
	build_u64(b, ino);
	build_u64(b, 0);
	build_u32s(b, 5, 2); /* r-x, private */
	build_string(b, name);
	return build_end(b);
}

static inline struct record build_mmap(struct record_builder *b, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len,
				       uint64_t pgoff, const char *name)
{
	build_start(b, PERF_RECORD_MMAP, misc);
	build_u32s(b, pid, pid == UINT32_MAX ? 0 : pid);
	build_u64(b, start);
	build_u64(b, len);
	build_u64(b, pgoff);
	build_string(b, name);
	return build_end(b);
}

static inline struct record build_ksymbol(struct record_builder *b, uint64_t addr, uint32_t len, uint16_t type, uint16_t flags,
					  const char *name)
{
	build_start(b, PERF_RECORD_KSYMBOL, 0);
	build_u64(b, addr);
	build_bytes(b, &len, 4);
	build_bytes(b, &type, 2);
	build_bytes(b, &flags, 2);
	build_string(b, name);
	return build_end(b);
}
