/*
 * The ring buffer of a program (BPF_MAP_TYPE_RINGBUF) as its reader sees it: two counts of bytes, each on a page of its own, and the
 * data, which are mapped twice in a row, so that a record is never in two pieces. Source: kernel/bpf/ringbuf.c. Starts zeroed.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"

struct bpf_loaded;

struct bpf_ring {
	uint64_t *consumer;       /* how far it has been read */
	const uint64_t *producer; /* and written */
	const uint8_t *data;
	uint64_t bytes;           /* a power of two */
};

/* The map of that name, of so many bytes. What was mapped before an error stays for bpf_ring_unmap(). */
struct strobe_error *bpf_ring_map(const struct bpf_loaded *b, const char *name, uint64_t bytes, struct bpf_ring *ret) _must_check_;
void bpf_ring_unmap(struct bpf_ring *r);
