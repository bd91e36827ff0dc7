#include <inttypes.h>
#include <stdio.h>

#include "analysis/kmem/kmem_text.h"

/* One table for all lists, with a column for the list of a row. */
enum column {
	LIST, CALLSITE, FUNCTION, OFFSET, ADDRESS, PAGE, BYTES, REQUESTED, HITS, PINGPONGS, FRAGMENTATION, ORDER, MIGRATETYPE, GFP, COLUMNS
};

static void make_columns(struct table *t)
{
	static const struct {
		const char *key;
		enum table_type type;
	} columns[COLUMNS] = {
		[LIST] = { "list", TABLE_TEXT },	      [CALLSITE] = { "callsite", TABLE_TEXT },
		[FUNCTION] = { "function", TABLE_TEXT },      [OFFSET] = { "offset", TABLE_COUNT },
		[ADDRESS] = { "address", TABLE_TEXT },	      [PAGE] = { "page", TABLE_COUNT },
		[BYTES] = { "bytes", TABLE_COUNT },	      [REQUESTED] = { "requested_bytes", TABLE_COUNT },
		[HITS] = { "hits", TABLE_COUNT },	      [PINGPONGS] = { "pingpongs", TABLE_COUNT },
		[FRAGMENTATION] = { "fragmentation_percent", TABLE_NUMBER }, [ORDER] = { "order", TABLE_COUNT },
		[MIGRATETYPE] = { "migratetype", TABLE_COUNT }, [GFP] = { "gfp_flags", TABLE_TEXT },
	};
	for (int c = 0; c < COLUMNS; c++)
		table_column(t, (struct table_column){ .key = columns[c].key, .type = columns[c].type,
						      .decimals = 3, .is_optional = c != LIST });
}

static void set_hex(struct table *t, enum column column, uint64_t v)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	table_set_text(t, column, text);
}

static void set_site(struct table *t, const struct kmem_sums *s, uint64_t callsite)
{
	const struct kmem_site *site = kmem_site(s, callsite);
	set_hex(t, CALLSITE, callsite);
	if (site && site->function) {
		table_set_text(t, FUNCTION, site->function);
		table_set_count(t, OFFSET, site->offset);
	}
}

static void add_slab_rows(struct table *t, const struct kmem_sums *s, const struct kmem_slab_rows *rows, bool by_caller, uint64_t lines_max)
{
	for (size_t i = 0; i < rows->list.len && i < lines_max; i++) {
		const struct kmem_slab_row *r = &rows->list.data[i];
		table_row(t);
		table_set_text(t, LIST, by_caller ? "slab-callsite" : "slab-object");
		set_site(t, s, r->callsite);
		if (!by_caller)
			set_hex(t, ADDRESS, r->address);
		table_set_count(t, BYTES, r->given);
		table_set_count(t, REQUESTED, r->requested);
		table_set_count(t, HITS, r->hits);
		table_set_count(t, PINGPONGS, r->pingpongs);
		table_set_number(t, FRAGMENTATION, kmem_slab_fragmentation(r->requested, r->given));
	}
}

static void add_page_rows(struct table *t, const struct kmem_sums *s, const struct kmem_page_rows *rows, bool by_caller, uint64_t lines_max)
{
	for (size_t i = 0; i < rows->list.len && i < lines_max; i++) {
		const struct kmem_page_row *r = &rows->list.data[i];
		table_row(t);
		table_set_text(t, LIST, by_caller ? "page-callsite" : "page");
		set_site(t, s, r->callsite);
		if (!by_caller)
			table_set_count(t, PAGE, r->page);
		table_set_count(t, BYTES, r->bytes);
		table_set_count(t, HITS, r->hits);
		table_set_count(t, ORDER, r->order);
		table_set_count(t, MIGRATETYPE, r->migratetype);
		table_set_text(t, GFP, gfp_full(&s->gfp, r->gfp));
	}
}

static void add_order_rows(struct table *t, const struct kmem_pages *p)
{
	for (uint32_t o = 0; o < KMEM_ORDERS; o++) {
		for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++) {
			if (p->orders[o][m] <= 0)
				continue;
			table_row(t);
			table_set_text(t, LIST, "page-order");
			table_set_count(t, ORDER, o);
			table_set_count(t, MIGRATETYPE, m);
			table_set_count(t, HITS, (uint64_t)p->orders[o][m]);
		}
	}
}

static void fact(struct table *t, const char *key, uint64_t v)
{
	table_fact_number(t, key, (double)v, "%" PRIu64, v);
}

static void add_slab_facts(struct table *t, const struct kmem_slab *s)
{
	fact(t, "slab_requested_bytes", s->requested);
	fact(t, "slab_allocated_bytes", s->given);
	fact(t, "slab_freed_bytes", s->freed);
	fact(t, "slab_allocations", s->allocs);
	fact(t, "slab_node_crossings", s->node_crossings);
}

static void add_page_facts(struct table *t, const struct kmem_pages *p)
{
	fact(t, "page_allocations", p->allocs.requests);
	fact(t, "page_allocated_bytes", p->allocs.bytes);
	fact(t, "page_frees", p->frees.requests);
	fact(t, "page_freed_bytes", p->frees.bytes);
	fact(t, "page_unmatched_frees", p->unmatched_frees.requests);
	fact(t, "page_unmatched_freed_bytes", p->unmatched_frees.bytes);
	fact(t, "page_failures", p->failures.requests);
	fact(t, "page_failed_bytes", p->failures.bytes);
}

void kmem_table(struct table *t, const struct kmem_sums *s, const struct kmem_view *v)
{
	table_init(t, "strobe-kmem-stat", 1);
	make_columns(t);
	if (v->is_chosen[KMEM_SLAB]) {
		add_slab_facts(t, &s->slab);
		if (v->has_list[KMEM_BY_CALLER])
			add_slab_rows(t, s, &s->slab.callers, true, v->lines_max[KMEM_BY_CALLER]);
		if (v->has_list[KMEM_BY_ADDRESS])
			add_slab_rows(t, s, &s->slab.objects, false, v->lines_max[KMEM_BY_ADDRESS]);
	}
	if (!v->is_chosen[KMEM_PAGES])
		return;
	add_page_facts(t, &s->pages);
	if (v->has_list[KMEM_BY_CALLER])
		add_page_rows(t, s, &s->pages.callers, true, v->lines_max[KMEM_BY_CALLER]);
	if (v->has_list[KMEM_BY_ADDRESS])
		add_page_rows(t, s, &s->pages.pages, false, v->lines_max[KMEM_BY_ADDRESS]);
	add_order_rows(t, &s->pages);
}
