/*
 * The ring buffer of a program (BPF_MAP_TYPE_RINGBUF) as its reader sees it: two counts of bytes, each on a page of its own, and the
 * data, which their beginning follows once more, so that a record is never in two pieces. Source: kernel/bpf/ringbuf.c. Starts zeroed.
 */
#pragma once
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* No program writes longer records. A multiple of any page; no more is mapped twice: each page that is mapped takes its time. */
#define BPF_RING_RECORD_MAX (64u << 10)

struct bpf_loaded;

struct bpf_ring {
	uint64_t *consumer;       /* how far it has been read */
	const uint64_t *producer; /* and written */
	const uint8_t *data;
	uint64_t bytes;           /* a power of two */
};

/* The map of that name, with the given size. What was mapped before an error stays for bpf_ring_unmap(). */
struct strobe_error *bpf_ring_map(const struct bpf_loaded *b, const char *name, uint64_t bytes, struct bpf_ring *ret) _must_check_;
void bpf_ring_unmap(struct bpf_ring *r);

/*
 * The record at *at, which moves past it; NULL: none before end, or one that is still being written. *ret_bytes is 0 for one that its
 * program discarded. The kernel may overwrite the record once the reader has stored *at in r->consumer.
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
