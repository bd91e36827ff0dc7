#include "resolve/rawtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "resolve/chain.h"

void rawtab_init(struct rawtab *t, uint32_t sub_labels_nr)
{
	*t = (struct rawtab){ .sub_labels_nr = sub_labels_nr };
	arena_init(&t->arena);
}

void rawtab_deinit(struct rawtab *t)
{
	arena_deinit(&t->arena);
	for (size_t i = 0; i < t->chunks.len; i++)
		free(t->chunks.data[i]);
	vec_deinit(&t->chunks);
	vec_deinit(&t->paths);
	vec_deinit(&t->subs);
	vec_deinit(&t->sub_labels);
	vec_deinit(&t->bytes);
	vec_deinit(&t->frames);
	vec_deinit(&t->entries);
	frame_index_deinit(&t->frame_index);
	idset_deinit(&t->row_index);
	idset_deinit(&t->sub_index);
	idset_deinit(&t->bytes_index);
}

uint32_t rawtab_frame(struct rawtab *t, uint64_t ip, struct frame_where where, uint64_t first)
{
	uint64_t context = frame_context(where);
	uint32_t id = frame_index_find(&t->frame_index, ip, context);
	if (id != FRAME_NONE)
		return id;
	struct raw_frame f = { .ip = ip, .first = first, .where = where };
	id = (uint32_t)t->frames.len;
	vec_push(&t->frames, f);
	frame_index_add(&t->frame_index, ip, context, id);
	return id;
}

/* The chain of k into t->entries; returns their number. */
static uint32_t expand(struct rawtab *t, const struct raw_key *k, const struct raw_path_options *o)
{
	uint32_t max = o->max_stack < k->chain_nr + 1 ? o->max_stack : k->chain_nr + 1;
	vec_reserve(&t->entries, (size_t)max + 1);
	return chain_expand(k->chain, k->chain_nr, k->ip, raw_context_cpumode(k->context), max, t->entries.data);
}

static struct raw_row *new_row(struct rawtab *t)
{
	if (t->rows_nr >> RAW_CHUNK_BITS == t->chunks.len) {
		size_t bytes = sizeof(struct raw_row) << RAW_CHUNK_BITS;
		struct raw_row *chunk = aligned_alloc(sizeof(struct raw_row), bytes);
		vec_push(&t->chunks, chunk ? chunk : xmalloc(SIZE_MAX)); /* says that memory is out */
	}
	return rawtab_row(t, t->rows_nr++);
}

uint32_t rawtab_add(struct rawtab *t, const struct raw_key *k, uint32_t kernel, const struct raw_path_options *o, uint64_t first)
{
	uint32_t path_nr = expand(t, k, o), id = t->rows_nr;
	struct raw_row *r = new_row(t);
	*r = (struct raw_row){
		.hash = k->hash,
		.first = first,
		.event = (uint16_t)k->event,
		.group = k->group,
		.path = (uint32_t)t->paths.len,
		.path_nr = (uint16_t)path_nr,
		.result = UINT32_MAX,
	};
	uint32_t *path = vec_extend(&t->paths, path_nr);
	struct frame_where where = { .space = raw_context_space(k->context), .kernel = kernel };
	for (uint32_t i = 0; i < path_nr; i++) {
		where.cpumode = t->entries.data[i].cpumode;
		where.call_site = o->call_sites && i;
		path[i] = rawtab_frame(t, t->entries.data[i].ip, where, first);
		t->frames.data[path[i]].in_path = true;
	}
	idset_insert(&t->row_index, k->hash.a, id);
	return id;
}

struct sub_key {
	uint64_t hash;
	const uint64_t *labels;
	uint32_t row;
};

static bool sub_eq(const void *table, uint32_t id, const void *key)
{
	const struct rawtab *t = table;
	const struct sub_key *k = key;
	const struct raw_sub *s = &t->subs.data[id];
	return s->hash == k->hash && s->row == k->row &&
	       raw_words_equal(t->sub_labels.data + (size_t)id * t->sub_labels_nr, k->labels, t->sub_labels_nr);
}

uint32_t rawtab_sub(struct rawtab *t, uint32_t row, const uint64_t *labels, uint64_t hash, uint64_t first)
{
	struct sub_key k = { .hash = hash_combine(hash, row), .labels = labels, .row = row };
	uint32_t id = idset_find(&t->sub_index, k.hash, sub_eq, t, &k);
	if (id != IDSET_NONE)
		return id;
	struct raw_sub s = { .hash = k.hash, .row = row, .first = first };
	id = (uint32_t)t->subs.len;
	vec_push(&t->subs, s);
	memcpy(vec_extend(&t->sub_labels, t->sub_labels_nr), labels, t->sub_labels_nr * sizeof(*labels));
	idset_insert(&t->sub_index, k.hash, id);
	return id;
}

static bool bytes_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw_bytes *a = &((const struct rawtab *)table)->bytes.data[id], *b = key;
	return a->key_bytes == b->key_bytes && a->event == b->event && a->column == b->column &&
	       memcmp(a->key, b->key, a->key_bytes) == 0;
}

uint32_t rawtab_bytes(struct rawtab *t, const struct raw_bytes *b)
{
	uint64_t hash = raw_bytes_hash(b);
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
