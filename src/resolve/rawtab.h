/*
 * What one worker has counted so far, before anything is resolved: rows of (address space, raw stack, raw labels, event).
 *
 * A stack is kept as words: the sample's address, then space and cpumode in one word, then the callchain as recorded with
 * its PERF_CONTEXT_* markers. Rows share stacks; the index finds a row by one hash and compares its words and labels.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/vector.h"

#define RAW_HEAD 2 /* words before the callchain */

struct raw_stack {
	uint64_t hash;
	const uint64_t *words;
	uint32_t words_nr;
};

struct raw_row {
	uint64_t hash;
	const uint64_t *words;
	uint32_t words_nr;
	uint32_t stack, event;
	uint64_t samples, value, weight;
	uint64_t first; /* where its first sample stood: rows come out in one order, however many threads there were */
};

/* Bytes that a label stands for (tracepoint data), with the first whole payload they were met in. */
struct raw_bytes {
	const void *key, *payload;
	uint32_t key_bytes, payload_bytes;
	uint32_t event, column;
};

struct rawtab {
	struct arena arena;
	VEC(struct raw_stack) stacks;
	VEC(struct raw_row) rows;
	VEC(uint64_t) labels; /* of row i from i * labels_nr */
	VEC(struct raw_bytes) bytes;
	uint32_t labels_nr;
	struct idset stack_index, row_index, bytes_index;
};

struct raw_key {
	uint64_t hash, stack_hash;
	uint64_t ip, context;  /* context: raw_context() */
	const uint64_t *chain;
	uint32_t chain_nr;
	uint32_t event;
	const uint64_t *labels;
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

void rawtab_init(struct rawtab *t, uint32_t labels_nr);
void rawtab_deinit(struct rawtab *t);

static inline bool raw_words_equal(const uint64_t *a, const uint64_t *b, uint32_t n)
{
	uint64_t differ = 0;
	for (uint32_t i = 0; i < n; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static inline bool raw_row_eq(const void *table, uint32_t id, const void *key)
{
	const struct rawtab *t = table;
	const struct raw_key *k = key;
	const struct raw_row *r = &t->rows.data[id];
	return r->hash == k->hash && r->words_nr == k->chain_nr + RAW_HEAD && r->event == k->event &&
	       r->words[0] == k->ip && r->words[1] == k->context &&
	       raw_words_equal(r->words + RAW_HEAD, k->chain, k->chain_nr) &&
	       raw_words_equal(t->labels.data + (size_t)id * t->labels_nr, k->labels, t->labels_nr);
}

uint32_t rawtab_add_row(struct rawtab *t, const struct raw_key *k, uint64_t first);

/* The row of this key, made where it is new. */
static inline uint32_t rawtab_row(struct rawtab *t, const struct raw_key *k, uint64_t first)
{
	uint32_t id = idset_find(&t->row_index, k->hash, raw_row_eq, t, k);
	return __builtin_expect(id != IDSET_NONE, 1) ? id : rawtab_add_row(t, k, first);
}

static inline uint64_t raw_bytes_hash(const struct raw_bytes *b)
{
	return hash_combine(hash_bytes(b->key, b->key_bytes), (uint64_t)b->event << 32 | b->column);
}

/* The id of key's bytes (of one column and event); payload is copied where they are new. */
uint32_t rawtab_bytes(struct rawtab *t, uint64_t hash, const struct raw_bytes *b);
