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
#include "symbol/source.h"
#include "symbol/symbol.h"

/* Where an address is looked up: user addresses in the space, the kernel's in the state of its maps. */
struct frame_where {
	uint32_t space, kernel;
	uint16_t cpumode;
	bool call_site; /* ip is what a call returns to */
	bool apart;     /* of a sample whose chain does not begin there; the same for the look-up */
};

/* What of it distinguishes one look-up from another, in one word; never 0. */
static inline uint64_t frame_context_of(uint32_t space, uint32_t kernel, uint16_t cpumode, bool call_site)
{
	uint64_t in = cpumode == PERF_RECORD_MISC_KERNEL ? kernel : space;
	return in << 24 | (uint64_t)cpumode << 8 | (uint64_t)call_site << 1 | 1;
}

#define FRAME_CONTEXT_APART 4 /* in frame_context_of()'s word: distinguishes raw frames, and is the same for a look-up */

static inline uint64_t frame_context(struct frame_where w)
{
	return frame_context_of(w.space, w.kernel, w.cpumode, w.call_site);
}

/*
 * An index of (ip, context) → number, the first added is 0. A zeroed one is empty. Slots are small, so that those of some ten thousand
 * addresses fit in a processor's cache: a part of the hash, and the number + 1; 0: empty.
 */
struct frame_index_key {
	uint64_t ip, context;
};

struct frame_index {
	uint64_t *slots;
	uint32_t mask;
	VEC(struct frame_index_key) keys; /* by number */
};

#define FRAME_NONE UINT32_MAX

void frame_index_deinit(struct frame_index *x);
/* Empties it and keeps its memory. */
void frame_index_clear(struct frame_index *x);
/* It has the next number. */
void frame_index_add(struct frame_index *x, uint64_t ip, uint64_t context);

static inline uint64_t frame_hash(uint64_t ip, uint64_t context)
{
	return hash_mum(ip ^ 0x9e3779b97f4a7c15ull, context * 0xe7037ed1a0b428dbull ^ 0xa0761d6478bd642full);
}

static inline uint32_t frame_index_find(const struct frame_index *x, uint64_t ip, uint64_t context)
{
	if (!x->slots)
		return FRAME_NONE;
	uint64_t hash = frame_hash(ip, context), slot;
	for (uint32_t i = (uint32_t)hash & x->mask; (slot = x->slots[i]); i = (i + 1) & x->mask) {
		uint32_t id = (uint32_t)slot - 1;
		if (slot >> 32 == hash >> 32 && x->keys.data[id].ip == ip && x->keys.data[id].context == context)
			return id;
	}
	return FRAME_NONE;
}

struct frame_cache {
	struct machine *machine;
	struct symbols *symbols;
	struct frame_index index;
	VEC(struct resolved_frame) frames;
	VEC(struct dso *) dsos; /* by mapped_file.id; NULL until needed */
};

void frame_cache_init(struct frame_cache *c, struct machine *machine, struct symbols *symbols);
void frame_cache_deinit(struct frame_cache *c);
uint32_t frame_cache_add(struct frame_cache *c, struct frame_where where, uint64_t ip);

/*
 * Index of the frame in c->frames. The parts of a frame_where, one by one: a struct written in parts and read as a whole
 * would hold the processor up at each frame.
 */
static inline uint32_t frame_cache_find(struct frame_cache *c, uint32_t space, uint32_t kernel, uint16_t cpumode,
					bool call_site, uint64_t ip)
{
	uint32_t id = frame_index_find(&c->index, ip, frame_context_of(space, kernel, cpumode, call_site));
	if (__builtin_expect(id != FRAME_NONE, 1))
		return id;
	return frame_cache_add(c, (struct frame_where){ space, kernel, cpumode, call_site, false }, ip);
}

/*
 * Frames of inlined functions and source lines, from debug information: the frames at the address of *f, innermost first: those that
 * were inlined, if options.with_inlines, then *f itself; with their lines, if options.with_lines. At least one. Safe in threads.
 */
unsigned inlines_expand(const struct resolved_frame *f, const struct resolve_options *o,
			struct resolved_frame ret[SOURCE_FRAMES_MAX]);
