#include "analysis/kmem/kmem_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "---------------------------------------------------------------------------------------------------------"
#define PAGE_ORDERS_SHOWN 11 /* at least; the number on most machines */

/* Columns of the summary, and short; the kernel's numbers of pages of the page allocator's lists. */
static const char *const type_names[2][KMEM_MIGRATETYPES] = {
	{ "Unmovable", "Movable", "Reclaimable", "HighAtomic", "CMA/Isolated" },
	{ "Unmovable", "Reclaimable", "Movable", "Reserved", "CMA/Isolated" },
};
static const char *const brief_type_names[2][KMEM_MIGRATETYPES] = {
	{ "UNMOVABL", "MOVABLE", "RECLAIM", "HIGHATOM", "CMA/ISLT" },
	{ "UNMOVABL", "RECLAIM", "MOVABLE", "RESERVED", "CMA/ISLT" },
};

static uint32_t type_index(uint32_t migratetype)
{
	return migratetype < KMEM_MIGRATETYPES ? migratetype : KMEM_MIGRATETYPES - 1;
}

static uint32_t orders_used(const struct kmem_pages *p)
{
	uint32_t n = KMEM_ORDERS;
	for (; n > PAGE_ORDERS_SHOWN; n--)
		for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++)
			if (p->orders[n - 1][m])
				return n;
	return n;
}

static void add_column(struct table *t, const char *title, unsigned width)
{
	table_column(t, (struct table_column){ .key = title, .type = TABLE_TEXT, .width = width, .is_fixed = width });
}

/* Between rules, as in perf: titles are left-aligned, and numbers are padded to the right. */
static void begin_list(struct table *t, bool has_blank_line)
{
	table_init(t, "strobe-kmem-list", 1);
	if (has_blank_line)
		table_head(t, "%s", "");
	table_head(t, RULE);
	t->layout = (struct table_layout){ .head = " ", .row = " ", .gap = " | ", .after_rule = RULE, .after_rows = RULE };
}

/* Lines without columns. */
static void begin_lines(struct table *t)
{
	table_init(t, "strobe-kmem-summary", 1);
	t->layout.has_no_titles = true;
}

/* Ends a list; marks it if rows are left out, or if it has exactly as many as shown. */
static void end_list(struct table *t, size_t rows, uint64_t lines_max)
{
	if (lines_max > rows)
		return;
	table_row(t);
	for (size_t c = 0; c < t->columns.len; c++)
		table_set_text(t, c, "...");
}

/* ---- objects ---- */

enum slab_column { SLAB_PLACE, SLAB_GIVEN, SLAB_REQUESTED, SLAB_HITS, SLAB_PINGPONGS, SLAB_FRAGMENTATION };

static void show_place(struct table *t, const struct kmem_sums *s, const struct kmem_slab_row *r, const struct kmem_view *v, bool by_caller)
{
	const struct kmem_site *site = by_caller && !v->raw_ip ? kmem_site(s, r->callsite) : NULL;
	if (site && site->function)
		table_show(t, SLAB_PLACE, "%s+%" PRIx64, site->function, site->offset);
	else
		table_show(t, SLAB_PLACE, "%#" PRIx64, by_caller ? r->callsite : r->address);
}

static void show_slab_row(struct table *t, const struct kmem_slab_row *r)
{
	table_show(t, SLAB_GIVEN, "%9" PRIu64 "/%" PRIu64, r->given, r->given / r->hits);
	table_show(t, SLAB_REQUESTED, "%9" PRIu64 "/%" PRIu64, r->requested, r->requested / r->hits);
	table_show(t, SLAB_HITS, "%8" PRIu32, r->hits);
	table_show(t, SLAB_PINGPONGS, "%9" PRIu32, r->pingpongs);
	table_show(t, SLAB_FRAGMENTATION, "%6.3f%%", kmem_slab_fragmentation(r->requested, r->given));
}

static void make_slab_list(struct table *t, const struct kmem_sums *s, const struct kmem_view *v, enum kmem_list list)
{
	bool by_caller = list == KMEM_BY_CALLER;
	const struct kmem_slab_rows *rows = by_caller ? &s->slab.callers : &s->slab.objects;
	begin_list(t, false);
	add_column(t, by_caller ? "Callsite" : "Alloc Ptr", 34);
	add_column(t, "Total_alloc/Per", 15);
	add_column(t, "Total_req/Per", 15);
	add_column(t, "Hit", 8);
	add_column(t, "Ping-pong", 9);
	add_column(t, "Frag", 4);
	for (size_t i = 0; i < rows->list.len && i < v->lines_max[list]; i++) {
		table_row(t);
		show_place(t, s, &rows->list.data[i], v, by_caller);
		show_slab_row(t, &rows->list.data[i]);
	}
	end_list(t, rows->list.len, v->lines_max[list]);
}

static void make_slab_summary(struct table *t, const struct kmem_slab *s)
{
	begin_lines(t);
	table_head(t, "%s", "");
	table_head(t, "SUMMARY (SLAB allocator)");
	table_head(t, "========================");
	table_head(t, "Total bytes requested: %" PRIu64, s->requested);
	table_head(t, "Total bytes allocated: %" PRIu64, s->given);
	table_head(t, "Total bytes freed:     %" PRIu64, s->freed);
	if (s->given > s->freed)
		table_head(t, "Net total bytes allocated: %" PRIu64, s->given - s->freed);
	table_head(t, "Total bytes wasted on internal fragmentation: %" PRIu64, s->given - s->requested);
	table_head(t, "Internal fragmentation: %f%%", kmem_slab_fragmentation(s->requested, s->given));
	table_head(t, "Cross CPU allocations: %" PRIu64 "/%" PRIu64, s->node_crossings, s->allocs);
}

/* ---- pages ---- */

static void make_gfp_flags(struct table *t, const struct gfp_texts *texts)
{
	begin_lines(t);
	table_head(t, "#");
	table_head(t, "# GFP flags");
	table_head(t, "# ---------");
	t->layout.row = "# ";
	t->layout.gap = ": ";
	table_column(t, (struct table_column){ .key = "flags", .type = TABLE_TEXT });
	table_column(t, (struct table_column){ .key = "short", .type = TABLE_TEXT, .align = TABLE_ALIGN_RIGHT });
	table_column(t, (struct table_column){ .key = "names", .type = TABLE_TEXT });
	for (size_t i = 0; i < texts->list.len; i++) {
		table_row(t);
		table_show(t, 0, "%08" PRIx32, texts->list.data[i].flags);
		table_set_text(t, 1, texts->list.data[i].brief);
		table_set_text(t, 2, texts->list.data[i].full);
	}
}

enum page_column { PAGE_BYTES, PAGE_HITS, PAGE_ORDER, PAGE_TYPE, PAGE_FLAGS, PAGE_SITE };

static void add_page_columns(struct table *t, const struct kmem_sums *s, const struct kmem_view *v, bool by_caller)
{
	size_t flags = strlen("GFP flags");
	if (!by_caller)
		add_column(t, s->page_is_number ? "PFN" : "Page", 16);
	add_column(t, v->live ? " Live alloc (KB)" : "Total alloc (KB)", 16);
	add_column(t, "Hits", 9);
	add_column(t, "Order", 5);
	add_column(t, "Mig.type", 8);
	add_column(t, "GFP flags", s->gfp.brief_width > flags ? (unsigned)s->gfp.brief_width : (unsigned)flags);
	add_column(t, "Callsite", 0);
}

/* first: the first column of those common to all lists. */
static void show_page_row(struct table *t, const struct kmem_sums *s, const struct kmem_view *v, const struct kmem_page_row *r,
			  size_t first)
{
	const struct kmem_site *site = v->raw_ip ? NULL : kmem_site(s, r->callsite);
	table_show(t, first + PAGE_BYTES, "%16" PRIu64, r->bytes / 1024);
	table_show(t, first + PAGE_HITS, "%9" PRIu64, r->hits);
	table_show(t, first + PAGE_ORDER, "%5" PRIu32, r->order);
	table_show(t, first + PAGE_TYPE, "%8s", brief_type_names[s->has_old_migratetypes][type_index(r->migratetype)]);
	table_set_text(t, first + PAGE_FLAGS, gfp_brief(&s->gfp, r->gfp));
	if (site && site->function)
		table_set_text(t, first + PAGE_SITE, site->function);
	else
		table_show(t, first + PAGE_SITE, "%" PRIx64, r->callsite);
}

static void make_page_list(struct table *t, const struct kmem_sums *s, const struct kmem_view *v, enum kmem_list list)
{
	bool by_caller = list == KMEM_BY_CALLER;
	const struct kmem_page_rows *rows = by_caller ? &s->pages.callers : &s->pages.pages;
	begin_list(t, true);
	add_page_columns(t, s, v, by_caller);
	for (size_t i = 0; i < rows->list.len && i < v->lines_max[list]; i++) {
		table_row(t);
		if (!by_caller)
			table_show(t, 0, s->page_is_number ? "%16" PRIu64 : "%016" PRIx64, rows->list.data[i].page);
		show_page_row(t, s, v, &rows->list.data[i], !by_caller);
	}
	end_list(t, rows->list.len, v->lines_max[list]);
}

static void add_count(struct table *t, const char *what, struct kmem_page_count c)
{
	table_head(t, "%-30s: %16" PRIu64 "   [ %16" PRIu64 " KB ]", what, c.requests, c.bytes / 1024);
}

static struct kmem_page_count minus(struct kmem_page_count a, struct kmem_page_count b)
{
	return (struct kmem_page_count){ a.requests - b.requests, a.bytes - b.bytes };
}

static void make_page_summary(struct table *t, const struct kmem_pages *p)
{
	struct kmem_page_count matched = minus(p->frees, p->unmatched_frees);
	begin_lines(t);
	table_head(t, "%s", "");
	table_head(t, "SUMMARY (page allocator)");
	table_head(t, "========================");
	add_count(t, "Total allocation requests", p->allocs);
	add_count(t, "Total free requests", p->frees);
	table_head(t, "%s", "");
	add_count(t, "Total alloc+freed requests", matched);
	add_count(t, "Total alloc-only requests", minus(p->allocs, matched));
	add_count(t, "Total free-only requests", p->unmatched_frees);
	table_head(t, "%s", "");
	add_count(t, "Total allocation failures", p->failures);
	table_head(t, "%s", "");
}

static void make_orders(struct table *t, const struct kmem_sums *s)
{
	table_init(t, "strobe-kmem-orders", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .rule = '-' };
	table_column(t, (struct table_column){ .key = "Order", .type = TABLE_COUNT, .width = 5 });
	for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++)
		table_column(t, (struct table_column){ .key = type_names[s->has_old_migratetypes][m], .type = TABLE_COUNT, .width = 12 });
	for (uint32_t o = 0; o < orders_used(&s->pages); o++) {
		table_row(t);
		table_set_count(t, 0, o);
		for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++)
			if (s->pages.orders[o][m])
				table_show(t, m + 1, "%" PRId64, s->pages.orders[o][m]);
			else
				table_show(t, m + 1, ".");
	}
}

size_t kmem_texts(const struct kmem_sums *s, const struct kmem_view *v, struct table ret[static KMEM_TEXTS_MAX])
{
	size_t n = 0;
	for (int l = 0; l < KMEM_LISTS && v->is_chosen[KMEM_SLAB]; l++)
		if (v->has_list[l])
			make_slab_list(&ret[n++], s, v, l);
	if (v->is_chosen[KMEM_SLAB])
		make_slab_summary(&ret[n++], &s->slab);
	if (!v->is_chosen[KMEM_PAGES])
		return n;
	if (v->has_list[KMEM_BY_CALLER] || v->has_list[KMEM_BY_ADDRESS])
		make_gfp_flags(&ret[n++], &s->gfp);
	for (int l = 0; l < KMEM_LISTS; l++)
		if (v->has_list[l])
			make_page_list(&ret[n++], s, v, l);
	make_page_summary(&ret[n++], &s->pages);
	make_orders(&ret[n++], s);
	return n;
}
