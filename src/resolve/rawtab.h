/*
 * The counts of one worker, before anything is resolved.
 *
 * A row is (address space, cpumode, address, raw callchain, event, group of thread labels) with its counts, identified by a
 * 128-bit hash of all of these: comparing chains would take longer than everything else for many stacks, and a collision is
 * only likely among some 2^60. A row is one cache line. Its path is the chain without markers, as numbers of raw frames,
 * innermost first. If labels of samples were requested, counts are in sub-rows (row, labels) instead of the row.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/vector.h"
#include "resolve/chain/chain.h"
#include "resolve/frames.h"

struct raw_hash {
	uint64_t a, b;
};

struct raw_row {
	struct raw_hash hash;
	uint64_t samples, value, weight;
	uint64_t first;  /* place of its first sample, so that the order of rows does not depend on the number of threads */
	uint32_t path;   /* in rawtab.paths */
	uint32_t group;
	uint32_t result; /* its row or node, set while the profile is filled */
	uint16_t path_nr; /* a record has 64 KB at most */
	uint16_t event;
} __attribute__((aligned(64)));

#define RAW_EVENTS_MAX UINT16_MAX
#define RAW_CHUNK_BITS 15 /* rows of a chunk, 2 MB: they never move, and never span two cache lines */

struct raw_sub {
	uint64_t hash;
	uint64_t samples, value, weight, first;
	uint32_t row, result;
};

/* The bytes of a label (tracepoint data), with the first payload that has them. */
struct raw_bytes {
	const void *key, *payload;
	uint32_t key_bytes, payload_bytes;
	uint32_t event, column;
};

struct raw_frame {
	uint64_t ip;
	uint64_t first; /* as in a row */
	struct frame_where where;
	bool in_path;   /* used in a path, and not only in labels */
};

struct rawtab {
	struct arena arena; /* of bytes */
	VEC(struct raw_row *) chunks;
	uint32_t rows_nr;
	VEC(uint32_t) paths;
	VEC(struct raw_sub) subs;
	VEC(uint64_t) sub_labels; /* of sub i from i * sub_labels_nr */
	uint32_t sub_labels_nr;
	VEC(struct raw_bytes) bytes;
	VEC(struct raw_frame) frames;
	struct idset frame_index, row_index, sub_index, bytes_index;
	/* The current chain, and the one before with its path: most outer frames are the same. */
	VEC(struct chain_entry) entries, last_entries;
	uint32_t last_path, last_space, last_kernel;
	bool last_returns;
	bool apart; /* the first entry is the sample's address, which is not in its chain */
};

struct raw_key {
	struct raw_hash hash;
	uint64_t ip, context;
	const uint64_t *chain;
	uint32_t chain_nr;
	uint32_t event, group;
};

/* Options of the conversion from chains to paths. */
struct raw_path_options {
	struct chain_options chain;
	bool returns; /* addresses of callers are return addresses, not those of calls */
};

/* cpumode has 16 bits, as it may be CPUMODE_UNKNOWN. */
static inline uint64_t raw_context(uint32_t space, uint16_t cpumode)
{
	return (uint64_t)space << 16 | cpumode;
}

static inline uint32_t raw_context_space(uint64_t context)
{
	return (uint32_t)(context >> 16);
}

static inline uint16_t raw_context_cpumode(uint64_t context)
{
	return (uint16_t)context;
}

void rawtab_init(struct rawtab *t, uint32_t sub_labels_nr);
void rawtab_deinit(struct rawtab *t);
/* Frees what only looking up and adding needs: rows can only be read from then on. */
void rawtab_seal(struct rawtab *t);
/* As after rawtab_init(), but keeps memory. */
void rawtab_clear(struct rawtab *t);

static inline struct raw_row *rawtab_row(const struct rawtab *t, uint32_t id)
{
	return &t->chunks.data[id >> RAW_CHUNK_BITS][id & ((1u << RAW_CHUNK_BITS) - 1)];
}

static inline uint64_t raw_word(const uint64_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Two independent hashes of the same input, computed together: the processor does both in the time of one. */
static inline struct raw_hash raw_hash(const struct raw_key *k)
{
	const uint64_t *p = k->chain;
	uint32_t n = k->chain_nr;
	uint64_t who = (uint64_t)k->event << 48 ^ (uint64_t)k->group << 16 ^ n;
	struct raw_hash h = {
		.a = hash_mum(k->ip ^ 0xa0761d6478bd642full, k->context + 0x8ebc6af09c88c6e3ull) ^ who * 0x589965cc75374cc3ull,
		.b = hash_mum(k->ip + 0x1d8e4e27c47d124full, k->context ^ 0xeb44accab455d165ull) + who * 0x9fb21c651e98df25ull,
	};
	for (; n >= 4; n -= 4, p += 4) {
		uint64_t w0 = raw_word(p), w1 = raw_word(p + 1), w2 = raw_word(p + 2), w3 = raw_word(p + 3);
		h.a = hash_mum(w0 ^ 0xa0761d6478bd642full, w1 ^ h.a) ^
		      hash_mum(w2 ^ 0x8ebc6af09c88c6e3ull, w3 ^ h.a ^ 0x589965cc75374cc3ull);
		h.b = hash_mum(w0 + 0x1d8e4e27c47d124full, w2 + h.b) +
		      hash_mum(w1 + 0xeb44accab455d165ull, w3 + (h.b ^ 0x9fb21c651e98df25ull));
	}
	for (; n; n--, p++) {
		h.a = hash_mum(h.a ^ 0xa0761d6478bd642full, raw_word(p) ^ 0xe7037ed1a0b428dbull);
		h.b = hash_mum(h.b + 0x1d8e4e27c47d124full, raw_word(p) + 0xeb44accab455d165ull);
	}
	h.a = hash_mum(h.a ^ 0xe7037ed1a0b428dbull, 0x9e3779b97f4a7c15ull);
	return h;
}

static inline bool raw_words_equal(const uint64_t *a, const uint64_t *b, uint32_t n)
{
	uint64_t differ = 0;
	for (uint32_t i = 0; i < n; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static inline bool raw_row_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw_hash *h = key;
	const struct raw_row *r = rawtab_row(table, id);
	return r->hash.a == h->a && r->hash.b == h->b;
}

/* Prefetch the memory that rawtab_find() will access first, and next: rows are looked up in batches to overlap cache misses. */
static inline void rawtab_prefetch_slot(const struct rawtab *t, uint64_t hash)
{
	if (t->row_index.slots)
		__builtin_prefetch(&t->row_index.slots[(uint32_t)(hash >> 32) & t->row_index.mask]);
}

static inline void rawtab_prefetch_row(const struct rawtab *t, uint64_t hash)
{
	if (!t->row_index.slots)
		return;
	uint64_t slot = t->row_index.slots[(uint32_t)(hash >> 32) & t->row_index.mask];
	if (slot)
		__builtin_prefetch(rawtab_row(t, (uint32_t)slot - 1), 1);
}

static inline uint32_t rawtab_find(const struct rawtab *t, const struct raw_key *k)
{
	return idset_find(&t->row_index, k->hash.a, raw_row_eq, t, &k->hash);
}

uint32_t rawtab_add(struct rawtab *t, const struct raw_key *k, uint32_t kernel, const struct raw_path_options *o, uint64_t first);

/* The sub-row of a row with these labels, which is added if new. */
uint32_t rawtab_sub(struct rawtab *t, uint32_t row, const uint64_t *labels, uint64_t hash, uint64_t first);

static inline uint64_t raw_bytes_hash(const struct raw_bytes *b)
{
	return hash_combine(hash_bytes(b->key, b->key_bytes), (uint64_t)b->event << 32 | b->column);
}

/* The raw frame number of an address. */
uint32_t rawtab_frame(struct rawtab *t, uint64_t ip, struct frame_where where, uint64_t first);

/* The number of key's bytes (for one column and event); payload is copied if they are new. */
uint32_t rawtab_bytes(struct rawtab *t, const struct raw_bytes *b);
