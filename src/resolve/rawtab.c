#include "resolve/rawtab.h"

#include <string.h>

void rawtab_init(struct rawtab *t, uint32_t labels_nr)
{
	*t = (struct rawtab){ .labels_nr = labels_nr };
	arena_init(&t->arena);
}

void rawtab_deinit(struct rawtab *t)
{
	arena_deinit(&t->arena);
	vec_deinit(&t->stacks);
	vec_deinit(&t->rows);
	vec_deinit(&t->labels);
	vec_deinit(&t->bytes);
	idset_deinit(&t->stack_index);
	idset_deinit(&t->row_index);
	idset_deinit(&t->bytes_index);
}

static bool stack_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw_stack *s = &((const struct rawtab *)table)->stacks.data[id];
	const struct raw_key *k = key;
	return s->hash == k->stack_hash && s->words_nr == k->chain_nr + RAW_HEAD && s->words[0] == k->ip &&
	       s->words[1] == k->context && raw_words_equal(s->words + RAW_HEAD, k->chain, k->chain_nr);
}

static uint32_t add_stack(struct rawtab *t, const struct raw_key *k)
{
	uint32_t id = idset_find(&t->stack_index, k->stack_hash, stack_eq, t, k);
	if (id != IDSET_NONE)
		return id;
	uint64_t *words = arena_alloc(&t->arena, ((size_t)k->chain_nr + RAW_HEAD) * sizeof(*words));
	words[0] = k->ip;
	words[1] = k->context;
	if (k->chain_nr)
		memcpy(words + RAW_HEAD, k->chain, k->chain_nr * sizeof(*words));
	id = (uint32_t)t->stacks.len;
	struct raw_stack s = { .hash = k->stack_hash, .words = words, .words_nr = k->chain_nr + RAW_HEAD };
	vec_push(&t->stacks, s);
	idset_insert(&t->stack_index, k->stack_hash, id);
	return id;
}

uint32_t rawtab_add_row(struct rawtab *t, const struct raw_key *k, uint64_t first)
{
	uint32_t stack = add_stack(t, k), id = (uint32_t)t->rows.len;
	struct raw_row r = {
		.hash = k->hash,
		.words = t->stacks.data[stack].words,
		.words_nr = t->stacks.data[stack].words_nr,
		.stack = stack,
		.event = k->event,
		.first = first,
	};
	vec_push(&t->rows, r);
	if (t->labels_nr)
		memcpy(vec_extend(&t->labels, t->labels_nr), k->labels, t->labels_nr * sizeof(uint64_t));
	idset_insert(&t->row_index, k->hash, id);
	return id;
}

static bool bytes_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw_bytes *a = &((const struct rawtab *)table)->bytes.data[id], *b = key;
	return a->key_bytes == b->key_bytes && a->event == b->event && a->column == b->column &&
	       memcmp(a->key, b->key, a->key_bytes) == 0;
}

uint32_t rawtab_bytes(struct rawtab *t, uint64_t hash, const struct raw_bytes *b)
{
	uint32_t id = idset_find(&t->bytes_index, hash, bytes_eq, t, b);
	if (id != IDSET_NONE)
		return id;
	struct raw_bytes copy = *b;
	copy.payload = arena_memdup(&t->arena, b->payload, b->payload_bytes);
	/* The key is a part of the payload. */
	copy.key = (const char *)copy.payload + ((const char *)b->key - (const char *)b->payload);
	id = (uint32_t)t->bytes.len;
	vec_push(&t->bytes, copy);
	idset_insert(&t->bytes_index, hash, id);
	return id;
}
