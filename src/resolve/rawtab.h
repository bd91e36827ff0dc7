/*
 * What one worker has counted so far, before anything is resolved.
 *
 * A row is (address space, cpumode, address, raw callchain, event, group of thread labels) with its counts. Rows lie one
 * behind the other in one array of words, each with its chain as recorded behind it (to be compared with) and its path:
 * the chain without markers, as numbers of raw frames, innermost first. Where labels of samples themselves were asked for,
 * counts are kept in sub-rows (row, labels) in place of the row.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/vector.h"
#include "resolve/frames.h"

struct raw_row {
	uint64_t hash;
	uint64_t ip, context; /* raw_context() */
	uint64_t samples, value, weight;
	uint64_t first;       /* where its first sample stood: rows come out in one order, however many threads there were */
	uint32_t event, group;
	uint16_t chain_nr, path_nr; /* a record has 64 KB at most */
	uint32_t result;      /* what it became, for whoever fills the profile */
	uint64_t chain[];     /* then uint32_t path[], padded */
};

/* A row is named by its place: words before it. */
typedef uint32_t raw_id;

struct raw_sub {
	uint64_t hash;
	uint64_t samples, value, weight, first;
	raw_id row;
	uint32_t result;
};

/* Bytes that a label stands for (tracepoint data), with the first whole payload they were met in. */
struct raw_bytes {
	const void *key, *payload;
	uint32_t key_bytes, payload_bytes;
	uint32_t event, column;
};

struct raw_frame {
	uint64_t ip;
	struct frame_where where;
};

struct rawtab {
	struct arena arena; /* of bytes */
	VEC(uint64_t) heap; /* of rows */
	size_t rows_nr;
	VEC(struct raw_sub) subs;
	VEC(uint64_t) sub_labels; /* of sub i from i * sub_labels_nr */
	uint32_t sub_labels_nr;
	VEC(struct raw_bytes) bytes;
	VEC(struct raw_frame) frames;
	struct frame_index frame_index;
	struct idset row_index, sub_index, bytes_index;
	VEC(struct chain_entry) entries; /* of the chain at hand */
};

struct raw_key {
	uint64_t hash;
	uint64_t ip, context;
	const uint64_t *chain;
	uint32_t chain_nr;
	uint32_t event, group;
};

/* How chains become paths. */
struct raw_path_options {
	uint32_t max_stack;
	bool call_sites;
};

/* cpumode has 16 bits: it may be CPUMODE_UNKNOWN. */
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

static inline struct raw_row *rawtab_row(const struct rawtab *t, raw_id id)
{
	return (struct raw_row *)(t->heap.data + id);
}

static inline uint32_t *raw_path(struct raw_row *r)
{
	return (uint32_t *)(r->chain + r->chain_nr);
}

/* The row behind this one. */
static inline raw_id rawtab_next(const struct rawtab *t, raw_id id)
{
	const struct raw_row *r = rawtab_row(t, id);
	return id + (uint32_t)(sizeof(*r) / sizeof(uint64_t)) + r->chain_nr + (r->path_nr + 1u) / 2;
}

static inline uint64_t raw_hash(const struct raw_key *k)
{
	uint64_t head = hash_mum(k->ip ^ 0xa0761d6478bd642full, k->context + 0x8ebc6af09c88c6e3ull);
	uint64_t who = ((uint64_t)k->event << 32 | k->group) * 0x589965cc75374cc3ull;
	return hash_u64s(k->chain, k->chain_nr, head ^ who);
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
	const struct raw_key *k = key;
	const struct raw_row *r = rawtab_row(table, id);
	return r->hash == k->hash && r->ip == k->ip && r->context == k->context && r->chain_nr == k->chain_nr &&
	       r->event == k->event && r->group == k->group && raw_words_equal(r->chain, k->chain, k->chain_nr);
}

/* Asks for the memory that rawtab_find() will look at first, and next: rows are found in batches, all waiting at once. */
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
	if (!slot)
		return;
	const char *row = (const char *)rawtab_row(t, (uint32_t)slot - 1);
	__builtin_prefetch(row, 1);
	__builtin_prefetch(row + 64);
	__builtin_prefetch(row + 128);
}

static inline raw_id rawtab_find(const struct rawtab *t, const struct raw_key *k)
{
	return idset_find(&t->row_index, k->hash, raw_row_eq, t, k);
}

raw_id rawtab_add(struct rawtab *t, const struct raw_key *k, uint32_t kernel, const struct raw_path_options *o, uint64_t first);

/* The sub-row of a row with these labels, made where it is new. */
uint32_t rawtab_sub(struct rawtab *t, raw_id row, const uint64_t *labels, uint64_t hash, uint64_t first);

static inline uint64_t raw_bytes_hash(const struct raw_bytes *b)
{
	return hash_combine(hash_bytes(b->key, b->key_bytes), (uint64_t)b->event << 32 | b->column);
}

/* The number of key's bytes (of one column and event); payload is copied where they are new. */
uint32_t rawtab_bytes(struct rawtab *t, const struct raw_bytes *b);
