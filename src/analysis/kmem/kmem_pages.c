#include "analysis/kmem/kmem_pages.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

#define ORDER_MAX 32 /* more is damage */

static void rows_deinit(struct kmem_page_rows *r)
{
	vec_deinit(&r->list);
	idset_deinit(&r->index);
}

void kmem_pages_deinit(struct kmem_pages *p)
{
	rows_deinit(&p->pages);
	rows_deinit(&p->callers);
	vec_deinit(&p->held);
	vec_deinit(&p->free_places);
	u64map_deinit(&p->held_by_page);
}

/* ---- rows ---- */

static bool page_eq(const void *table, uint32_t id, const void *key)
{
	const struct kmem_page_row *a = &((const struct kmem_page_row *)table)[id], *b = key;
	return a->page == b->page && a->order == b->order && a->migratetype == b->migratetype && a->gfp == b->gfp;
}

static bool caller_eq(const void *table, uint32_t id, const void *key)
{
	const struct kmem_page_row *a = &((const struct kmem_page_row *)table)[id], *b = key;
	return a->callsite == b->callsite && a->order == b->order && a->migratetype == b->migratetype && a->gfp == b->gfp;
}

static uint64_t hash_of(uint64_t first, const struct kmem_page_row *r)
{
	return hash_combine(hash_combine(hash_u64(first), (uint64_t)r->order << 32 | r->migratetype), r->gfp);
}

static struct kmem_page_row *row_of(struct kmem_page_rows *rows, const struct kmem_page_row *what, idset_eq_fn eq, uint64_t hash)
{
	uint32_t id = idset_intern(&rows->index, hash, eq, rows->list.data, what, rows->list.len);
	if (id == rows->list.len)
		vec_push(&rows->list, *what);
	return &rows->list.data[id];
}

static struct kmem_page_row *page_row(struct kmem_pages *p, const struct kmem_page_row *what)
{
	return row_of(&p->pages, what, page_eq, hash_of(what->page, what));
}

static struct kmem_page_row *caller_row(struct kmem_pages *p, const struct kmem_page_row *what)
{
	struct kmem_page_row caller = *what;
	caller.page = 0;
	return row_of(&p->callers, &caller, caller_eq, hash_of(what->callsite, what));
}

static struct kmem_page_row *held_row(struct kmem_pages *p, const struct kmem_page_row *what)
{
	bool is_new;
	uint64_t *at = u64map_put(&p->held_by_page, what->page, &is_new);
	if (!is_new)
		return &p->held.data[*at];
	if (p->free_places.len) {
		*at = p->free_places.data[--p->free_places.len];
		p->held.data[*at] = *what;
	} else {
		*at = p->held.len;
		vec_push(&p->held, *what);
	}
	return &p->held.data[*at];
}

/* ---- events ---- */

static uint64_t bytes_of(const struct kmem_pages *p, uint32_t order)
{
	return order < ORDER_MAX ? p->page_bytes << order : 0;
}

static int64_t *order_cell(struct kmem_pages *p, uint32_t order, uint32_t migratetype)
{
	return &p->orders[order < KMEM_ORDERS ? order : KMEM_ORDERS - 1]
			 [migratetype < KMEM_MIGRATETYPES ? migratetype : KMEM_MIGRATETYPES - 1];
}

static void count(struct kmem_page_count *c, uint64_t bytes)
{
	c->requests++;
	c->bytes += bytes;
}

static void add(struct kmem_page_row *row, uint64_t callsite, uint64_t bytes)
{
	row->callsite = callsite;
	row->hits++;
	row->bytes += bytes;
}

void kmem_pages_alloc(struct kmem_pages *p, const struct kmem_page_row *what)
{
	uint64_t bytes = bytes_of(p, what->order);
	struct kmem_page_row empty = *what;
	empty.bytes = empty.hits = 0;
	count(&p->allocs, bytes);
	add(held_row(p, &empty), what->callsite, bytes);
	if (!p->live)
		add(page_row(p, &empty), what->callsite, bytes);
	add(caller_row(p, &empty), what->callsite, bytes);
	++*order_cell(p, what->order, what->migratetype);
}

void kmem_pages_fail(struct kmem_pages *p, uint32_t order)
{
	count(&p->allocs, bytes_of(p, order));
	count(&p->failures, bytes_of(p, order));
}

void kmem_pages_free(struct kmem_pages *p, uint64_t page, uint32_t order)
{
	uint64_t bytes = bytes_of(p, order);
	const uint64_t *at = u64map_get(&p->held_by_page, page);
	count(&p->frees, bytes);
	if (!at) {
		count(&p->unmatched_frees, bytes);
		return;
	}
	struct kmem_page_row freed = p->held.data[*at];
	p->held.data[*at].hits = 0;
	vec_push(&p->free_places, (uint32_t)*at);
	u64map_remove(&p->held_by_page, page);
	if (!p->live)
		return;
	freed.order = order;
	--*order_cell(p, order, freed.migratetype);
	freed.bytes = freed.hits = 0;
	struct kmem_page_row *caller = caller_row(p, &freed);
	if (caller->hits) {
		caller->hits--;
		caller->bytes -= bytes < caller->bytes ? bytes : caller->bytes;
	}
}

/* ---- order ---- */

struct sorting {
	const struct kmem_keys *keys;
	bool live;
};

static int by_key(const struct kmem_page_row *a, const struct kmem_page_row *b, enum kmem_key key)
{
	switch (key) {
	case KMEM_BYTES:
		return kmem_order(a->bytes, b->bytes);
	case KMEM_HIT:
		return kmem_order(a->hits, b->hits);
	case KMEM_PAGE:
		return kmem_order(a->page, b->page);
	case KMEM_PAGE_ORDER:
		return kmem_order(a->order, b->order);
	case KMEM_MIGRATETYPE:
		return kmem_order(a->migratetype, b->migratetype);
	case KMEM_GFP:
		return kmem_order(a->gfp, b->gfp);
	default:
		return kmem_order(a->callsite, b->callsite);
	}
}

/* In the order of perf's trees: held pages from the last to the first. */
static int by_identity(const struct kmem_page_row *a, const struct kmem_page_row *b, bool live)
{
	static const enum kmem_key rest[] = { KMEM_PAGE_ORDER, KMEM_MIGRATETYPE, KMEM_GFP };
	int order = live ? by_key(a, b, KMEM_PAGE) : by_key(b, a, KMEM_PAGE);
	if (!order && !a->page)
		order = by_key(b, a, KMEM_CALLSITE);
	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest) && !order; i++)
		order = by_key(b, a, rest[i]);
	return order;
}

static int by_keys(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	int order = 0;
	for (uint32_t i = 0; i < s->keys->nr && !order; i++)
		order = by_key(a, b, s->keys->keys[i]);
	return order ? order : by_identity(a, b, s->live);
}

static void sort(struct kmem_page_rows *rows, const struct kmem_keys *keys, bool live)
{
	struct sorting s = { keys, live };
	if (rows->list.len)
		qsort_r(rows->list.data, rows->list.len, sizeof(*rows->list.data), by_keys, &s);
}

static void drop_empty(struct kmem_page_rows *rows)
{
	size_t left = 0;
	for (size_t i = 0; i < rows->list.len; i++)
		if (rows->list.data[i].hits)
			rows->list.data[left++] = rows->list.data[i];
	rows->list.len = left;
}

void kmem_pages_finish(struct kmem_pages *p, const struct kmem_keys *of_pages, const struct kmem_keys *of_callers)
{
	for (size_t i = 0; p->live && i < p->held.len; i++)
		vec_push(&p->pages.list, p->held.data[i]);
	drop_empty(&p->pages);
	drop_empty(&p->callers);
	sort(&p->pages, of_pages, p->live);
	sort(&p->callers, of_callers, false);
}
