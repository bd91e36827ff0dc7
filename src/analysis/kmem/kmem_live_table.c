#include <inttypes.h>
#include <stdlib.h>

#include "analysis/kmem/kmem_live.h"
#include "analysis/kmem/kmem_slab.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum column {
	ALLOCATOR, SITE, CALLSITE, FUNCTION, OFFSET, LIVE_BYTES, LIVE, BYTES, REQUESTED, HITS, PINGPONGS, FRAGMENTATION, STACK, COLUMNS
};

static const char *const allocators[KMEM_ALLOCATORS] = { [KMEM_SLAB] = "slab", [KMEM_PAGES] = "page" };

static void make_columns(struct table *t)
{
	static const struct table_column columns[COLUMNS] = {
		[ALLOCATOR] = { .key = "allocator", .title = "of", .type = TABLE_TEXT },
		[SITE] = { .key = "site", .title = "call site", .type = TABLE_TEXT, .text_only = true },
		[CALLSITE] = { .key = "callsite", .type = TABLE_TEXT, .data_only = true },
		[FUNCTION] = { .key = "function", .type = TABLE_TEXT, .data_only = true, .is_optional = true },
		[OFFSET] = { .key = "offset", .type = TABLE_COUNT, .data_only = true, .is_optional = true },
		[LIVE_BYTES] = { .key = "live_bytes", .title = "still there", .type = TABLE_COUNT },
		[LIVE] = { .key = "live", .title = "objects", .type = TABLE_COUNT },
		[BYTES] = { .key = "bytes", .title = "allocated", .type = TABLE_COUNT },
		[REQUESTED] = { .key = "requested_bytes", .title = "requested", .type = TABLE_COUNT },
		[HITS] = { .key = "hits", .type = TABLE_COUNT },
		[PINGPONGS] = { .key = "pingpongs", .title = "ping-pong", .type = TABLE_COUNT },
		[FRAGMENTATION] = { .key = "fragmentation_percent", .title = "frag %", .type = TABLE_NUMBER, .decimals = 3 },
		[STACK] = { .key = "stack", .type = TABLE_TEXT, .data_only = true, .is_optional = true },
	};
	for (int c = 0; c < COLUMNS; c++)
		table_column(t, columns[c]);
}

static void add_place(struct strbuf *to, const struct kmem_live *l, uint64_t address, bool raw_ip)
{
	uint64_t offset;
	const char *function = raw_ip ? NULL : kmem_live_function(l, address, &offset);
	if (function)
		strbuf_addf(to, "%s+0x%" PRIx64, function, offset);
	else
		strbuf_addf(to, "0x%" PRIx64, address);
}

static void set_site(struct table *t, const struct kmem_live *l, const struct kmem_live_row *r, bool raw_ip)
{
	struct strbuf text = {};
	uint64_t offset;
	const char *function = kmem_live_function(l, r->callsite, &offset);
	strbuf_addf(&text, "0x%" PRIx64, r->callsite);
	table_set_text(t, CALLSITE, strbuf_str(&text));
	strbuf_reset(&text);
	add_place(&text, l, r->callsite, raw_ip);
	table_set_text(t, SITE, strbuf_str(&text));
	strbuf_deinit(&text);
	if (!function)
		return;
	table_set_text(t, FUNCTION, function);
	table_set_count(t, OFFSET, offset);
}

/* In text the callers are below the row; in data they are a folded stack, outermost first. */
static void set_stack(struct table *t, const struct kmem_live *l, const struct kmem_live_row *r, bool raw_ip)
{
	struct strbuf text = {}, folded = {};
	for (uint32_t i = 1; i < r->frames_nr; i++) {
		strbuf_reset(&text);
		add_place(&text, l, r->frames[i], raw_ip);
		table_line(t, "          %s", strbuf_str(&text));
	}
	for (uint32_t i = r->frames_nr; i; i--) {
		uint64_t offset;
		const char *function = raw_ip ? NULL : kmem_live_function(l, r->frames[i - 1], &offset);
		if (folded.len)
			strbuf_addch(&folded, ';');
		if (function)
			strbuf_addf(&folded, "%s", function);
		else
			strbuf_addf(&folded, "0x%" PRIx64, r->frames[i - 1]);
	}
	if (r->frames_nr)
		table_set_text(t, STACK, strbuf_str(&folded));
	strbuf_deinit(&text);
	strbuf_deinit(&folded);
}

static void add_row(struct table *t, const struct kmem_live *l, const struct kmem_live_row *r, bool raw_ip)
{
	table_row(t);
	table_set_text(t, ALLOCATOR, allocators[r->allocator]);
	set_site(t, l, r, raw_ip);
	table_set_count(t, LIVE_BYTES, r->live_bytes);
	table_set_count(t, LIVE, r->live_hits);
	table_set_count(t, BYTES, r->sum.given);
	table_set_count(t, REQUESTED, r->sum.requested);
	table_set_count(t, HITS, r->sum.hits);
	table_set_count(t, PINGPONGS, r->sum.pingpongs);
	table_set_number(t, FRAGMENTATION, kmem_slab_fragmentation(r->sum.requested, r->sum.given));
	set_stack(t, l, r, raw_ip);
}

static void fact(struct table *t, const char *allocator, const char *what, uint64_t v)
{
	char *key = xasprintf("%s_%s", allocator, what);
	table_fact_number(t, key, (double)v, "%" PRIu64, v);
	free(key);
}

void kmem_live_table(struct table *t, const struct kmem_live *l, uint64_t lines_max, bool raw_ip)
{
	const struct kmem_live_sums *s = kmem_live_sums(l);
	table_init(t, "strobe-kmem-live", 1);
	make_columns(t);
	table_fact_number(t, "seconds", s->seconds, "%.3f", s->seconds);
	for (int a = 0; a < KMEM_ALLOCATORS; a++) {
		if (!s->total[a].hits)
			continue;
		fact(t, allocators[a], "allocated_bytes", s->total[a].given);
		fact(t, allocators[a], "requested_bytes", s->total[a].requested);
		fact(t, allocators[a], "allocations", s->total[a].hits);
		fact(t, allocators[a], "live_bytes", s->live_bytes[a]);
		fact(t, allocators[a], "live", s->live_hits[a]);
	}
	if (s->control.frees) {
		fact(t, "page", "frees", s->control.frees);
		fact(t, "page", "unmatched_frees", s->control.unknown_frees);
		fact(t, "page", "failures", s->control.failures);
	}
	for (size_t i = 0; i < s->rows.len && i < lines_max; i++)
		add_row(t, l, &s->rows.data[i], raw_ip);
}
