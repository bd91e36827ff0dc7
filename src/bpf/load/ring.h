/*
 * The reader's view of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF): two byte counts, each on a page of its own, and the data, mapped twice
 * in a row so that no record is split. Source: kernel/bpf/ringbuf.c. Starts zeroed.
 */
#pragma once
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The maximum length of a record, a multiple of any page size: only this much is mapped a second time, since mapping a page takes time. */
#define BPF_RING_RECORD_MAX (64u << 10)

struct bpf_loaded;

struct bpf_ring {
	uint64_t *consumer;       /* how far it has been read */
	const uint64_t *producer; /* how far it has been written */
	const uint8_t *data;
	uint64_t bytes;           /* a power of two */
};

/* Maps the ring buffer of that name and size. Call bpf_ring_unmap() also after an error. */
struct strobe_error *bpf_ring_map(const struct bpf_loaded *b, const char *name, uint64_t bytes, struct bpf_ring *ret) _must_check_;
void bpf_ring_unmap(struct bpf_ring *r);

/*
 * Returns the record at *at and advances *at past it; NULL: no record before end, or it is still being written. *ret_bytes is 0 for a
 * record that the program discarded. The kernel may overwrite the record once the reader has stored *at in r->consumer.
 */
static inline const void *bpf_ring_next(const struct bpf_ring *r, uint64_t *at, uint64_t end, uint32_t *ret_bytes)
{
	if (*at >= end)
		return NULL;
	const uint8_t *record = r->data + (*at & (r->bytes - 1));
	uint32_t length = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
	if (length & BPF_RINGBUF_BUSY_BIT)
		return NULL;
	uint32_t bytes = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	*at += (bytes + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL;
	*ret_bytes = length & BPF_RINGBUF_DISCARD_BIT ? 0 : bytes;
	return record + BPF_RINGBUF_HDR_SZ;
}
