/*
 * The frame cache: each distinct (address space, cpumode, address) is mapped and symbolised once a session.
 *
 * Not safe for use by two threads at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "resolve/resolve.h"
#include "symbol/symbol.h"

struct frame_slot {
	uint64_t ip, context; /* context 0: empty */
	uint32_t id;
};

struct frame_cache {
	struct machine *machine;
	struct symbols *symbols;
	bool call_sites;
	struct frame_slot *slots;
	uint32_t mask, used;
	VEC(struct resolved_frame) frames;
	VEC(struct dso *) dsos; /* by mapped_file.id; NULL where not asked for yet */
	VEC(uint32_t) kernels;  /* by space: its kernel's version + 1, 0 where not asked for yet */
};

void frame_cache_init(struct frame_cache *c, struct machine *machine, struct symbols *symbols, bool call_sites);
void frame_cache_deinit(struct frame_cache *c);
uint32_t frame_cache_add(struct frame_cache *c, uint32_t space, uint16_t cpumode, uint64_t ip, bool is_caller);

uint32_t frame_cache_ask_kernel(struct frame_cache *c, uint32_t space);

static inline uint32_t frame_cache_kernel(struct frame_cache *c, uint32_t space)
{
	bool known = space < c->kernels.len && c->kernels.data[space];
	return known ? c->kernels.data[space] - 1 : frame_cache_ask_kernel(c, space);
}

/*
 * What an address is looked up in: user addresses in the space, kernel addresses in the kernel's version of that space. The
 * lowest bit is set in every context, so that 0 is none.
 */
static inline uint64_t frame_context(struct frame_cache *c, uint32_t space, uint16_t cpumode, bool is_caller)
{
	uint64_t in = cpumode == PERF_RECORD_MISC_KERNEL ? frame_cache_kernel(c, space) : space;
	return in << 24 | (uint64_t)cpumode << 8 | (c->call_sites && is_caller ? 2 : 0) | 1;
}

static inline uint64_t frame_hash(uint64_t ip, uint64_t context)
{
	return hash_mum(ip ^ 0x9e3779b97f4a7c15ull, context * 0xe7037ed1a0b428dbull ^ 0xa0761d6478bd642full);
}

/* Index of the frame in c->frames. */
static inline uint32_t frame_cache_find(struct frame_cache *c, uint32_t space, uint16_t cpumode, uint64_t ip, bool is_caller)
{
	uint64_t context = frame_context(c, space, cpumode, is_caller);
	if (c->slots) {
		for (uint32_t i = (uint32_t)frame_hash(ip, context) & c->mask;; i = (i + 1) & c->mask) {
			const struct frame_slot *s = &c->slots[i];
			if (s->ip == ip && s->context == context)
				return s->id;
			if (!s->context)
				break;
		}
	}
	return frame_cache_add(c, space, cpumode, ip, is_caller);
}
