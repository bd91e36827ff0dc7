#include "analysis/kmem/kmem_slab.h"

#include <stdlib.h>

#include "base/mem.h"

static void rows_deinit(struct kmem_slab_rows *r)
{
	vec_deinit(&r->list);
	u64map_deinit(&r->by_key);
}

void kmem_slab_deinit(struct kmem_slab *s)
{
	rows_deinit(&s->callers);
	rows_deinit(&s->objects);
}

static struct kmem_slab_row *row_of(struct kmem_slab_rows *r, uint64_t key, bool *ret_new)
{
	uint64_t *at = u64map_put(&r->by_key, key, ret_new);
	if (*ret_new) {
		*at = r->list.len;
		vec_push(&r->list, ((struct kmem_slab_row){ .cpu = -1 }));
	}
	return &r->list.data[*at];
}

static void add(struct kmem_slab_row *row, uint64_t requested, uint64_t given)
{
	row->hits++;
	row->requested += requested;
	row->given += given;
}

bool kmem_slab_alloc(struct kmem_slab *s, uint64_t callsite, uint64_t address, uint64_t requested, uint64_t given, int32_t cpu)
{
	bool is_new;
	struct kmem_slab_row *object = row_of(&s->objects, address, &is_new);
	object->address = address;
	object->callsite = callsite;
	object->cpu = cpu;
	object->last_given = given;
	add(object, requested, given);
	struct kmem_slab_row *caller = row_of(&s->callers, callsite, &is_new);
	caller->callsite = callsite;
	add(caller, requested, given);
	s->requested += requested;
	s->given += given;
	s->allocs++;
	return is_new;
}

void kmem_slab_free(struct kmem_slab *s, uint64_t address, int32_t cpu)
{
	const uint64_t *at = u64map_get(&s->objects.by_key, address);
	if (!at)
		return;
	struct kmem_slab_row *object = &s->objects.list.data[*at];
	s->freed += object->last_given;
	if (object->cpu != cpu) {
		object->pingpongs++;
		s->callers.list.data[*u64map_get(&s->callers.by_key, object->callsite)].pingpongs++;
	}
	object->cpu = -1;
}

double kmem_slab_fragmentation(uint64_t requested, uint64_t given)
{
	return given ? 100.0 - 100.0 * (double)requested / (double)given : 0;
}

static int by_number(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_key(const struct kmem_slab_row *a, const struct kmem_slab_row *b, enum kmem_key key)
{
	switch (key) {
	case KMEM_FRAGMENTATION:
		return by_number(kmem_slab_fragmentation(a->requested, a->given), kmem_slab_fragmentation(b->requested, b->given));
	case KMEM_HIT:
		return kmem_order(a->hits, b->hits);
	case KMEM_BYTES:
		return kmem_order(a->given, b->given);
	case KMEM_PTR:
		return kmem_order(a->address, b->address);
	case KMEM_PINGPONG:
		return kmem_order(a->pingpongs, b->pingpongs);
	default:
		return kmem_order(a->callsite, b->callsite);
	}
}

static int by_keys(const void *a, const void *b, void *ctx)
{
	const struct kmem_keys *keys = ctx;
	const struct kmem_slab_row *x = a, *y = b;
	int order = 0;
	for (uint32_t i = 0; i < keys->nr && !order; i++)
		order = by_key(x, y, keys->keys[i]);
	if (!order)
		order = kmem_order(y->address, x->address);
	return order ? order : kmem_order(y->callsite, x->callsite);
}

void kmem_slab_sort(struct kmem_slab_rows *rows, const struct kmem_keys *keys)
{
	if (rows->list.len)
		qsort_r(rows->list.data, rows->list.len, sizeof(*rows->list.data), by_keys, (void *)keys);
}
