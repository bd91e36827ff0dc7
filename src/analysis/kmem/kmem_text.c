#include "analysis/kmem/kmem_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "---------------------------------------------------------------------------------------------------------\n"
#define PAGE_ORDERS_SHOWN 11 /* at least; of most machines */
#define NAME_BYTES 256

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

/* ---- objects ---- */

static void slab_name(char *ret, const struct kmem_sums *s, const struct kmem_slab_row *r, const struct kmem_view *v, bool by_caller)
{
	const struct kmem_site *site = by_caller && !v->raw_ip ? kmem_site(s, r->callsite) : NULL;
	if (site && site->function)
		snprintf(ret, NAME_BYTES, "%s+%" PRIx64, site->function, site->offset);
	else
		snprintf(ret, NAME_BYTES, "%#" PRIx64, by_caller ? r->callsite : r->address);
}

static void put_slab_row(struct out *out, const struct kmem_slab_row *r)
{
	out_f(out, " | %9" PRIu64 "/%-5" PRIu64 " | %9" PRIu64 "/%-5" PRIu64 " | %8" PRIu32 " | %9" PRIu32 " | %6.3f%%\n", r->given,
	      r->given / r->hits, r->requested, r->requested / r->hits, r->hits, r->pingpongs,
	      kmem_slab_fragmentation(r->requested, r->given));
}

static void put_slab_list(struct out *out, const struct kmem_sums *s, const struct kmem_view *v, enum kmem_list list)
{
	bool by_caller = list == KMEM_BY_CALLER;
	const struct kmem_slab_rows *rows = by_caller ? &s->slab.callers : &s->slab.objects;
	char name[NAME_BYTES];
	out_f(out, RULE " %-34s | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n" RULE,
	      by_caller ? "Callsite" : "Alloc Ptr");
	for (size_t i = 0; i < rows->list.len && i < v->lines_max[list]; i++) {
		slab_name(name, s, &rows->list.data[i], v, by_caller);
		out_ch(out, ' ');
		out_text_left(out, name, 34);
		put_slab_row(out, &rows->list.data[i]);
	}
	if (v->lines_max[list] <= rows->list.len)
		out_str(out, " ...                                | ...             | ...             | ...      | ...       | ...   \n");
	out_str(out, RULE);
}

static void put_slab_summary(struct out *out, const struct kmem_slab *s)
{
	out_str(out, "\nSUMMARY (SLAB allocator)\n========================\n");
	out_f(out, "Total bytes requested: %" PRIu64 "\n", s->requested);
	out_f(out, "Total bytes allocated: %" PRIu64 "\n", s->given);
	out_f(out, "Total bytes freed:     %" PRIu64 "\n", s->freed);
	if (s->given > s->freed)
		out_f(out, "Net total bytes allocated: %" PRIu64 "\n", s->given - s->freed);
	out_f(out, "Total bytes wasted on internal fragmentation: %" PRIu64 "\n", s->given - s->requested);
	out_f(out, "Internal fragmentation: %f%%\n", kmem_slab_fragmentation(s->requested, s->given));
	out_f(out, "Cross CPU allocations: %" PRIu64 "/%" PRIu64 "\n", s->node_crossings, s->allocs);
}

/* ---- pages ---- */

static void put_gfp_flags(struct out *out, const struct gfp_texts *t)
{
	out_str(out, "#\n# GFP flags\n# ---------\n");
	for (size_t i = 0; i < t->list.len; i++) {
		out_f(out, "# %08" PRIx32 ": ", t->list.data[i].flags);
		out_text_right(out, t->list.data[i].brief, t->brief_width);
		out_str(out, ": ");
		out_text_str(out, t->list.data[i].full);
		out_ch(out, '\n');
	}
}

static size_t gfp_width(const struct gfp_texts *t)
{
	size_t least = strlen("GFP flags");
	return t->brief_width > least ? t->brief_width : least;
}

static void put_site(struct out *out, const struct kmem_sums *s, const struct kmem_view *v, uint64_t callsite)
{
	const struct kmem_site *site = v->raw_ip ? NULL : kmem_site(s, callsite);
	if (site && site->function)
		out_text_str(out, site->function);
	else
		out_hex(out, callsite);
}

static void put_page_row(struct out *out, const struct kmem_sums *s, const struct kmem_view *v, const struct kmem_page_row *r)
{
	out_f(out, " %16" PRIu64 " | %9" PRIu64 " | %5" PRIu32 " | %8s | ", r->bytes / 1024, r->hits, r->order,
	      brief_type_names[s->has_old_migratetypes][type_index(r->migratetype)]);
	out_text_left(out, gfp_brief(&s->gfp, r->gfp), gfp_width(&s->gfp));
	out_str(out, " | ");
	put_site(out, s, v, r->callsite);
	out_ch(out, '\n');
}

static void put_page_list(struct out *out, const struct kmem_sums *s, const struct kmem_view *v, enum kmem_list list)
{
	bool by_caller = list == KMEM_BY_CALLER;
	const struct kmem_page_rows *rows = by_caller ? &s->pages.callers : &s->pages.pages;
	int width = (int)gfp_width(&s->gfp);
	out_str(out, "\n" RULE);
	if (!by_caller)
		out_f(out, " %-16s |", s->page_is_number ? "PFN" : "Page");
	out_f(out, " %5s alloc (KB) | Hits      | Order | Mig.type | %-*s | Callsite\n" RULE, v->live ? "Live" : "Total", width,
	      "GFP flags");
	for (size_t i = 0; i < rows->list.len && i < v->lines_max[list]; i++) {
		if (!by_caller)
			out_f(out, s->page_is_number ? " %16" PRIu64 " |" : " %016" PRIx64 " |", rows->list.data[i].page);
		put_page_row(out, s, v, &rows->list.data[i]);
	}
	if (v->lines_max[list] <= rows->list.len)
		out_f(out, "%s ...              | ...       | ...   | ...      | %-*s | ...\n",
		      by_caller ? "" : " ...              |", width, "...");
	out_str(out, RULE);
}

static void put_count(struct out *out, const char *what, struct kmem_page_count c)
{
	out_f(out, "%-30s: %16" PRIu64 "   [ %16" PRIu64 " KB ]\n", what, c.requests, c.bytes / 1024);
}

static struct kmem_page_count minus(struct kmem_page_count a, struct kmem_page_count b)
{
	return (struct kmem_page_count){ a.requests - b.requests, a.bytes - b.bytes };
}

static void put_orders(struct out *out, const struct kmem_sums *s)
{
	out_f(out, "%5s", "Order");
	for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++)
		out_f(out, "  %12s", type_names[s->has_old_migratetypes][m]);
	out_str(out, "\n-----  ------------  ------------  ------------  ------------  ------------\n");
	for (uint32_t o = 0; o < orders_used(&s->pages); o++) {
		out_f(out, "%5" PRIu32, o);
		for (uint32_t m = 0; m < KMEM_MIGRATETYPES; m++) {
			if (s->pages.orders[o][m])
				out_f(out, "  %12" PRId64, s->pages.orders[o][m]);
			else
				out_f(out, "  %12c", '.');
		}
		out_ch(out, '\n');
	}
}

static void put_page_summary(struct out *out, const struct kmem_sums *s)
{
	const struct kmem_pages *p = &s->pages;
	struct kmem_page_count matched = minus(p->frees, p->unmatched_frees);
	out_str(out, "\nSUMMARY (page allocator)\n========================\n");
	put_count(out, "Total allocation requests", p->allocs);
	put_count(out, "Total free requests", p->frees);
	out_ch(out, '\n');
	put_count(out, "Total alloc+freed requests", matched);
	put_count(out, "Total alloc-only requests", minus(p->allocs, matched));
	put_count(out, "Total free-only requests", p->unmatched_frees);
	out_ch(out, '\n');
	put_count(out, "Total allocation failures", p->failures);
	out_ch(out, '\n');
	put_orders(out, s);
}

void kmem_text(struct out *out, const struct kmem_sums *s, const struct kmem_view *v)
{
	if (v->is_chosen[KMEM_SLAB]) {
		for (int l = 0; l < KMEM_LISTS; l++)
			if (v->has_list[l])
				put_slab_list(out, s, v, l);
		put_slab_summary(out, &s->slab);
	}
	if (!v->is_chosen[KMEM_PAGES])
		return;
	if (v->has_list[KMEM_BY_CALLER] || v->has_list[KMEM_BY_ADDRESS])
		put_gfp_flags(out, &s->gfp);
	for (int l = 0; l < KMEM_LISTS; l++)
		if (v->has_list[l])
			put_page_list(out, s, v, l);
	put_page_summary(out, s);
}
