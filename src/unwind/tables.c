#include "unwind/tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/brief_lock.h"
#include "base/mem.h"
#include "base/vector.h"

struct slot {
	pthread_mutex_t lock; /* of compiling */
	/* 0: nobody has asked; MADE; or 1 + last_pid of a file that could not be opened. Stored after the rest. */
	_Atomic uint64_t state;
	struct unwind_file file;
};

#define MADE UINT64_MAX

struct unwind_tables {
	struct unwind_objects (*objects_of)(void *ctx, const struct mapped_file *f);
	void *ctx;
	pthread_mutex_t lock; /* of slots */
	VEC(struct slot *) slots; /* by mapped_file id */
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
	for (size_t i = 0; i < t->slots.len; i++) {
		struct slot *s = t->slots.data[i];
		if (!s)
			continue;
		unwind_table_destroy(s->file.table);
		pthread_mutex_destroy(&s->lock);
		free(s);
	}
	vec_deinit(&t->slots);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static struct slot *slot_of(struct unwind_tables *t, uint32_t id)
{
	pthread_mutex_lock(&t->lock);
	while (t->slots.len <= id)
		vec_push(&t->slots, NULL);
	struct slot *s = t->slots.data[id];
	if (!s) {
		s = t->slots.data[id] = xcalloc(1, sizeof(*s));
		pthread_mutex_init(&s->lock, NULL);
	}
	pthread_mutex_unlock(&t->lock);
	return s;
}

/* A file that nobody could open any more may be there for the next that maps it; whoever gives objects limits how often. */
static bool is_settled(const struct slot *s, const struct mapped_file *file)
{
	uint64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
	return state == MADE || state == 1 + (uint64_t)file->last_pid;
}

const struct unwind_file *unwind_tables_find(struct unwind_tables *t, const struct mapped_file *file)
{
	struct slot *s = slot_of(t, file->id);
	if (is_settled(s, file))
		return &s->file;
	pthread_mutex_lock(&s->lock);
	if (!is_settled(s, file)) {
		struct unwind_objects from = t->objects_of(t->ctx, file);
		s->file.object = from.object;
		s->file.table = from.object ? unwind_table_of(from.object, from.debug) : NULL;
		atomic_store_explicit(&s->state, from.object ? MADE : 1 + (uint64_t)file->last_pid, memory_order_release);
	}
	pthread_mutex_unlock(&s->lock);
	return &s->file;
}
