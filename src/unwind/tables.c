#include "unwind/tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/brief_lock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "unwind/kept_table.h"

struct slot {
	pthread_mutex_t lock; /* of compiling */
	enum mapped_kind kind; /* of the file that it was made for */
	uint8_t build_id[RECORD_BUILD_ID_MAX], build_id_len;
	/* 0: not needed yet; MADE; or 1 + last_pid of a file that could not be opened. Stored after the rest. */
	_Atomic uint64_t state;
	struct unwind_file file;
};

#define MADE UINT64_MAX

struct unwind_tables {
	struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f);
	void *ctx;
	pthread_mutex_t lock; /* of slots */
	VEC(struct slot *) slots; /* by mapped_file id; files of one build-id share one */
	VEC(struct slot *) owned;
	struct u64map by_build_id; /* hash → index in owned + 1 */
};

struct unwind_tables *unwind_tables_create(struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f),
					   void *ctx)
{
	struct unwind_tables *t = xcalloc(1, sizeof(*t));
	t->objects_of = objects_of;
	t->ctx = ctx;
	brief_lock_init(&t->lock);
	return t;
}

void unwind_tables_destroy(struct unwind_tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->owned.len; i++) {
		struct slot *s = t->owned.data[i];
		unwind_table_destroy(s->file.table);
		pthread_mutex_destroy(&s->lock);
		free(s);
	}
	vec_deinit(&t->slots);
	vec_deinit(&t->owned);
	u64map_deinit(&t->by_build_id);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static bool is_same_build(const struct slot *a, const struct mapped_file *b)
{
	return a->kind == b->kind && a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len);
}

/* A file with several paths (containers, hard links) is compiled once. */
static struct slot *add_slot(struct unwind_tables *t, const struct mapped_file *file)
{
	uint64_t *twin = NULL;
	bool is_new = false;
	if (file->build_id_len) {
		twin = u64map_put(&t->by_build_id, hash_bytes(file->build_id, file->build_id_len), &is_new);
		if (!is_new && is_same_build(t->owned.data[*twin - 1], file))
			return t->owned.data[*twin - 1];
	}
	struct slot *s = xcalloc(1, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	s->kind = file->kind;
	s->build_id_len = file->build_id_len;
	memcpy(s->build_id, file->build_id, sizeof(s->build_id));
	vec_push(&t->owned, s);
	if (is_new)
		*twin = t->owned.len;
	return s;
}

static struct slot *slot_of(struct unwind_tables *t, const struct mapped_file *file)
{
	pthread_mutex_lock(&t->lock);
	while (t->slots.len <= file->id)
		vec_push(&t->slots, NULL);
	struct slot *s = t->slots.data[file->id];
	if (!s)
		s = t->slots.data[file->id] = add_slot(t, file);
	pthread_mutex_unlock(&t->lock);
	return s;
}

/* A file that could not be opened may be available to the next process that maps it; the source of objects limits retries. */
static bool is_settled(const struct slot *s, const struct mapped_file *file)
{
	uint64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
	return state == MADE || state == 1 + (uint64_t)file->last_pid;
}

const struct unwind_file *unwind_tables_find(struct unwind_tables *t, const struct mapped_file *file)
{
	struct slot *s = slot_of(t, file);
	if (is_settled(s, file))
		return &s->file;
	pthread_mutex_lock(&s->lock);
	if (!is_settled(s, file)) {
		struct unwind_objects from = t->objects_of(t->ctx, file);
		s->file.object = from.object;
		s->file.table = from.object ? unwind_table_of_kept(from.object, from.debug) : NULL;
		atomic_store_explicit(&s->state, from.object ? MADE : 1 + (uint64_t)file->last_pid, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
	return &s->file;
}

bool unwind_tables_is_tried(struct unwind_tables *t, const struct mapped_file *file)
{
	return atomic_load_explicit(&slot_of(t, file)->state, memory_order_acquire) != 0;
}

bool unwind_tables_has(struct unwind_tables *t, const struct mapped_file *file)
{
	return atomic_load_explicit(&slot_of(t, file)->state, memory_order_acquire) == MADE;
}
