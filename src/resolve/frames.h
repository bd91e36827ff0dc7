/*
 * The frame cache: each distinct (address space, cpumode, address) is mapped and symbolised once per session.
 *
 * Not safe for use by two threads at a time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/idset.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "resolve/resolve.h"
#include "symbol/source.h"
#include "symbol/symbol.h"

/* The context of a look-up: the space for user addresses, the state of the kernel's maps for kernel addresses. */
struct frame_where {
	uint32_t space, kernel;
	uint16_t cpumode;
	bool call_site; /* ip is a return address */
	bool apart;     /* the address of a sample whose chain does not begin with it; irrelevant for the look-up */
};

/* The key of the look-up in one word; never 0. */
static inline uint64_t frame_context_of(uint32_t space, uint32_t kernel, uint16_t cpumode, bool call_site)
{
	uint64_t in = cpumode == PERF_RECORD_MISC_KERNEL ? kernel : space;
	return in << 24 | (uint64_t)cpumode << 8 | (uint64_t)call_site << 1 | 1;
}

#define FRAME_CONTEXT_APART 4 /* in the word of frame_context_of(): distinguishes raw frames, but not look-ups */

static inline uint64_t frame_context(struct frame_where w)
{
	return frame_context_of(w.space, w.kernel, w.cpumode, w.call_site);
}

static inline uint64_t frame_hash(uint64_t ip, uint64_t context)
{
	return hash_mum(ip ^ 0x9e3779b97f4a7c15ull, context * 0xe7037ed1a0b428dbull ^ 0xa0761d6478bd642full);
}

/* Neighbours in frame_cache.frames. */
struct frame_run {
	uint32_t first, nr;
};

struct frame_cache {
	struct machine *machine;
	struct symbols *symbols;
	struct idset index; /* of frames, by address and context */
	VEC(struct resolved_frame) frames; /* what has been looked up, and expanded */
	VEC(struct frame_run) expanded; /* by frame; nr 0: not yet */
	VEC(struct dso *) dsos; /* by mapped_file.id; NULL until needed */
};

void frame_cache_init(struct frame_cache *c, struct machine *machine, struct symbols *symbols);
void frame_cache_deinit(struct frame_cache *c);
uint32_t frame_cache_add(struct frame_cache *c, struct frame_where where, uint64_t ip);

struct frame_key {
	uint64_t ip, context;
};

static inline uint64_t frame_key_context(const struct resolved_frame *f)
{
	return frame_context_of(f->key >> 1, f->key >> 1, f->cpumode, f->key & 1);
}

/* The frame itself contains the key: its cache line is needed in any case. */
static inline bool frame_cache_eq(const void *table, uint32_t id, const void *key)
{
	const struct resolved_frame *f = &((const struct frame_cache *)table)->frames.data[id];
	const struct frame_key *k = key;
	return f->ip == k->ip && frame_key_context(f) == k->context;
}

/*
 * Index of the frame in c->frames. Takes the parts of a frame_where one by one: a struct written in parts and read as a whole
 * would stall the processor at each frame (store forwarding).
 */
static inline uint32_t frame_cache_find(struct frame_cache *c, uint32_t space, uint32_t kernel, uint16_t cpumode,
					bool call_site, uint64_t ip)
{
	struct frame_key k = { ip, frame_context_of(space, kernel, cpumode, call_site) };
	uint32_t id = idset_find(&c->index, frame_hash(k.ip, k.context), frame_cache_eq, c, &k);
	if (__builtin_expect(id != IDSET_NONE, 1))
		return id;
	return frame_cache_add(c, (struct frame_where){ space, kernel, cpumode, call_site, false }, ip);
}

/* The address to look up in debug information: a call is before the address that it returns to. */
static inline uint64_t source_address(const struct resolved_frame *f)
{
	return f->addr - f->is_call;
}

/*
 * The frames at the address of *f, innermost first, from debug information: inlined functions, if options.with_inlines, then *f itself;
 * with source lines, if options.with_lines. At least one. Thread-safe.
 */
unsigned inlines_expand(const struct resolved_frame *f, const struct resolve_options *o,
			struct resolved_frame ret[SOURCE_FRAMES_MAX]);
/* The same of a frame of the cache, which keeps them: the debug information is read once, always with the same options. */
struct frame_run frame_cache_expand(struct frame_cache *c, uint32_t number, const struct resolve_options *o);
