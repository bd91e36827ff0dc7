#include "resolve/rawtab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

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
	rawtab_seal(t);
}

void rawtab_seal(struct rawtab *t)
{
	vec_deinit(&t->entries);
	vec_deinit(&t->last_entries);
	idset_deinit(&t->frame_index);
	idset_deinit(&t->row_index);
	idset_deinit(&t->sub_index);
	idset_deinit(&t->bytes_index);
}

void rawtab_clear(struct rawtab *t)
{
	/* Frees chunks after an exceptional number of rows. */
	while (t->chunks.len > (t->rows_nr >> RAW_CHUNK_BITS) + 1)
		free(t->chunks.data[--t->chunks.len]);
	arena_reset(&t->arena);
	t->rows_nr = 0;
	vec_clear(&t->paths);
	vec_clear(&t->subs);
	vec_clear(&t->sub_labels);
	vec_clear(&t->bytes);
	vec_clear(&t->frames);
	vec_clear(&t->entries);
	vec_clear(&t->last_entries);
	idset_clear(&t->frame_index);
	idset_clear(&t->row_index);
	idset_clear(&t->sub_index);
	idset_clear(&t->bytes_index);
}

static inline bool frame_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw_frame *f = &((const struct rawtab *)table)->frames.data[id];
	const struct frame_key *k = key;
	return f->ip == k->ip && (frame_context(f->where) | (f->where.apart ? FRAME_CONTEXT_APART : 0)) == k->context;
}

static inline uint32_t find_frame(const struct rawtab *t, uint64_t ip, uint64_t context)
{
	struct frame_key k = { ip, context };
	return idset_find(&t->frame_index, frame_hash(ip, context), frame_eq, t, &k);
}

static uint32_t add_frame(struct rawtab *t, uint64_t context, struct raw_frame f)
{
	uint32_t id = (uint32_t)t->frames.len;
	vec_push(&t->frames, f);
	idset_insert(&t->frame_index, frame_hash(f.ip, context), id);
	return id;
}

uint32_t rawtab_frame(struct rawtab *t, uint64_t ip, struct frame_where where, uint64_t first)
{
	uint64_t context = frame_context(where);
	uint32_t id = find_frame(t, ip, context);
	if (id != IDSET_NONE)
		return id;
	return add_frame(t, context, (struct raw_frame){ .ip = ip, .first = first, .where = where });
}

/* Expands the chain of k into t->entries. */
static void expand(struct rawtab *t, const struct raw_key *k, const struct raw_path_options *o)
{
	vec_clear(&t->entries);
	vec_reserve(&t->entries, (size_t)k->chain_nr + 1);
	t->entries.len = chain_expand(k->chain, k->chain_nr, k->ip, raw_context_cpumode(k->context), o->chain, t->entries.data,
				      &t->apart);
}

/* The number of outer frames that the current chain shares with the one before, without the innermost, which is not a caller. */
static size_t common_callers(const struct rawtab *t, uint32_t space, uint32_t kernel)
{
	size_t n = t->entries.len, m = t->last_entries.len, same = 0;
	if (!n || !m || space != t->last_space || kernel != t->last_kernel)
		return 0;
	const struct chain_entry *a = t->entries.data + n, *b = t->last_entries.data + m;
	while (same + 1 < n && same + 1 < m && a[-1].ip == b[-1].ip && a[-1].cpumode == b[-1].cpumode) {
		same++;
		a--;
		b--;
	}
	return same;
}

/*
 * Whether entry i is a return address, since it follows one of the same part. At a kernel entry, the user part begins with the
 * address of the entry.
 */
static inline bool is_return(const struct chain_entry *entries, size_t i)
{
	return i && entries[i].cpumode == entries[i - 1].cpumode;
}

/* Passes words only: a struct written in parts and read as a whole would stall the processor at each frame (store forwarding). */
static void find_path(struct rawtab *t, uint32_t space, uint32_t kernel, bool returns, uint64_t first, uint32_t *path)
{
	size_t n = t->entries.len, m = t->last_entries.len, same = common_callers(t, space, kernel);
	if (same && (returns != t->last_returns ||
		     is_return(t->entries.data, n - same) != is_return(t->last_entries.data, m - same)))
		same = returns == t->last_returns ? same - 1 : 0;
	if (same)
		memcpy(path + n - same, t->paths.data + t->last_path + m - same, same * sizeof(*path));
	for (size_t i = 0; i < n - same; i++) {
		uint64_t ip = t->entries.data[i].ip;
		uint16_t cpumode = t->entries.data[i].cpumode;
		bool call_site = returns && is_return(t->entries.data, i);
		uint64_t context = frame_context_of(space, kernel, cpumode, call_site);
		bool apart = !i && t->apart;
		context |= apart ? FRAME_CONTEXT_APART : 0;
		uint32_t id = find_frame(t, ip, context);
		if (__builtin_expect(id == IDSET_NONE, 0)) {
			struct frame_where where = { space, kernel, cpumode, call_site, apart };
			id = add_frame(t, context, (struct raw_frame){ .ip = ip, .first = first, .where = where });
		}
		t->frames.data[id].in_path = true;
		path[i] = id;
	}
	t->last_path = (uint32_t)(path - t->paths.data);
	t->last_space = space;
	t->last_kernel = kernel;
	t->last_returns = returns;
	/* The current chain becomes the one before, whose memory is reused. */
	__typeof__(t->entries) entries = t->entries;
	memcpy(&t->entries, &t->last_entries, sizeof(entries));
	memcpy(&t->last_entries, &entries, sizeof(entries));
}

static struct raw_row *new_row(struct rawtab *t)
{
	if (t->rows_nr >> RAW_CHUNK_BITS == t->chunks.len) {
		size_t bytes = sizeof(struct raw_row) << RAW_CHUNK_BITS;
		struct raw_row *chunk = aligned_alloc(bytes, bytes);
		/* A recording that fills one chunk will fill more: allocating these in one piece saves a page fault per 64 rows. */
		if (chunk && t->chunks.len)
			madvise(chunk, bytes, MADV_HUGEPAGE);
		vec_push(&t->chunks, chunk ? chunk : xmalloc(SIZE_MAX)); /* says that memory is out */
	}
	return rawtab_row(t, t->rows_nr++);
}

uint32_t rawtab_add(struct rawtab *t, const struct raw_key *k, uint32_t kernel, const struct raw_path_options *o, uint64_t first)
{
	expand(t, k, o);
	uint32_t path_nr = (uint32_t)t->entries.len, id = t->rows_nr;
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
	find_path(t, raw_context_space(k->context), kernel, o->returns, first, path);
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
	/* The key is part of the payload. */
	copy.key = (const char *)copy.payload + ((const char *)b->key - (const char *)b->payload);
	id = (uint32_t)t->bytes.len;
	vec_push(&t->bytes, copy);
	idset_insert(&t->bytes_index, hash, id);
	return id;
}
