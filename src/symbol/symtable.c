#include "symbol/symtable.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbol/rank.h"

#define PAGE 4096u

void symtable_builder_deinit(struct symtable_builder *b)
{
	vec_deinit(&b->entries);
}

void symtable_deinit(struct symtable *t)
{
	for (size_t i = 0; i < sizeof(t->memory) / sizeof(*t->memory); i++)
		free(t->memory[i]);
	memset(t, 0, sizeof(*t));
}

const char *symtable_name(const struct symtable *t, const struct symtable_entry *e)
{
	if (e->space >= SYMTABLE_SPACES || e->name >= t->names[e->space].bytes)
		return "";
	return t->names[e->space].data + e->name;
}

uint32_t symtable_find(const struct symtable *t, uint64_t addr)
{
	size_t n = t->segments_nr;
	if (!n || addr < t->starts[0])
		return SYMTABLE_NONE;
	/* The last start that is not above addr, by a branchless binary search. */
	const uint64_t *base = t->starts;
	while (n > 1) {
		size_t half = n / 2;
		base += base[half] <= addr ? half : 0;
		n -= half;
	}
	uint32_t owner = t->owners[base - t->starts];
	return owner < t->entries_nr ? owner : SYMTABLE_NONE;
}

static void sort_by_start(struct symtable_builder *b)
{
	size_t n = b->entries.len;
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = b->entries.data[i - 1].start <= b->entries.data[i].start;
	if (sorted)
		return;
	struct sort_pair *pairs = xreallocarray(NULL, n, sizeof(*pairs));
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct sort_pair){ .key = b->entries.data[i].start, .value = i };
	sort_pairs(pairs, n);
	struct symtable_entry *entries = xreallocarray(NULL, n, sizeof(*entries));
	for (size_t i = 0; i < n; i++)
		entries[i] = b->entries.data[pairs[i].value];
	free(pairs);
	vec_free(b->entries.data);
	b->entries.data = entries;
	b->entries.cap = n;
}

static uint64_t end_of_page_after(uint64_t addr)
{
	uint64_t end = ((addr + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
	return end > addr ? end : UINT64_MAX;
}

/* Of entries that share a start, all but the last still end where they start: the ranking drops them. */
static void guess_ends(struct symtable_builder *b)
{
	size_t n = b->entries.len;
	for (size_t i = 0; i < n; i++) {
		struct symtable_entry *e = &b->entries.data[i];
		if (e->end != e->start)
			continue;
		e->loose = true;
		e->end = i + 1 == n ? end_of_page_after(e->start) : b->entries.data[i + 1].start;
	}
}

static struct rank_candidate candidate(const struct symtable_builder *b, const struct symtable_entry *e)
{
	return (struct rank_candidate){
		.bytes = e->end - e->start,
		.binding = e->binding,
		.name = b->names[e->space].data + e->name,
	};
}

/*
 * Keeps the best of each run of entries with one start. A loser that reaches further than the winner is kept after it,
 * for the addresses that the winner does not cover.
 */
static void choose_among_aliases(struct symtable_builder *b)
{
	size_t out = 0, n = b->entries.len;
	struct symtable_entry *e = b->entries.data;
	for (size_t i = 0, next; i < n; i = next) {
		struct symtable_entry best = e[i], longest = e[i];
		for (next = i + 1; next < n && e[next].start == e[i].start; next++) {
			struct rank_candidate a = candidate(b, &best), c = candidate(b, &e[next]);
			if (rank_better(&c, &a, b->demangle))
				best = e[next];
			if (!e[next].loose && (longest.loose || e[next].end > longest.end))
				longest = e[next];
		}
		if (!longest.loose && longest.end > best.end)
			e[out++] = longest;
		e[out++] = best;
	}
	b->entries.len = out;
}

struct segments {
	uint64_t *starts;
	uint32_t *owners;
	size_t nr;
};

/* Begins a segment of owner at addr, replacing one with the same start. */
static void begin_segment(struct segments *s, uint64_t addr, uint32_t owner)
{
	if (s->nr && s->starts[s->nr - 1] == addr)
		s->nr--;
	if (s->nr && s->owners[s->nr - 1] == owner)
		return;
	if (!s->nr && owner == SYMTABLE_NONE)
		return;
	s->starts[s->nr] = addr;
	s->owners[s->nr++] = owner;
}

/* The open entries during the sweep: a heap, with the owner of the address at its top. */
struct open_entry {
	uint64_t priority;
	uint32_t entry;
};

struct open_heap {
	VEC(struct open_entry) items;
};

static void heap_push(struct open_heap *h, struct open_entry add)
{
	vec_push(&h->items, add);
	struct open_entry *e = h->items.data;
	size_t at = h->items.len - 1;
	for (size_t parent; at && e[parent = (at - 1) / 2].priority < add.priority; at = parent)
		e[at] = e[parent];
	e[at] = add;
}

static void heap_pop(struct open_heap *h)
{
	struct open_entry *e = h->items.data, moved = e[--h->items.len];
	size_t at = 0, n = h->items.len;
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && e[child + 1].priority > e[child].priority)
			child++;
		if (e[child].priority <= moved.priority)
			break;
		e[at] = e[child];
	}
	if (n)
		e[at] = moved;
}

/*
 * The order of symbols at an address: the innermost with a size owns it; a label without a size only where no sized
 * symbol is (local labels of assembly are inside of functions). In a perf map the latest line, since JITs reuse
 * memory.
 */
static uint64_t priority(const struct symtable_builder *b, const struct symtable_entry *e, size_t i)
{
	if (b->ends == SYMTABLE_ENDS_JIT)
		return e->name; /* name offsets have the order of lines */
	return (uint64_t)!e->loose << 32 | i;
}

/* Ends entries at `until`; outer open ones continue. */
static void close_until(struct segments *s, struct open_heap *open, const struct symtable_entry *e, uint64_t until)
{
	while (open->items.len && e[open->items.data[0].entry].end <= until) {
		uint64_t end = e[open->items.data[0].entry].end;
		while (open->items.len && e[open->items.data[0].entry].end <= end)
			heap_pop(open);
		begin_segment(s, end, open->items.len ? open->items.data[0].entry : SYMTABLE_NONE);
	}
}

/* One sweep over the entries by start. */
static void cut_segments(const struct symtable_builder *b, struct segments *s)
{
	const struct symtable_entry *e = b->entries.data;
	struct open_heap open = {};
	for (size_t i = 0; i < b->entries.len; i++) {
		close_until(s, &open, e, e[i].start);
		if (e[i].end <= e[i].start)
			continue;
		heap_push(&open, (struct open_entry){ .priority = priority(b, &e[i], i), .entry = (uint32_t)i });
		if (open.items.data[0].entry == i)
			begin_segment(s, e[i].start, (uint32_t)i);
	}
	close_until(s, &open, e, UINT64_MAX);
	vec_deinit(&open.items);
}

void symtable_finish(struct symtable_builder *b, struct symtable *ret)
{
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->names, b->names, sizeof(ret->names));
	sort_by_start(b);
	if (b->ends != SYMTABLE_ENDS_JIT) {
		guess_ends(b);
		choose_among_aliases(b);
	}
	size_t n = b->entries.len;
	/* Each entry begins one segment and ends one. */
	struct segments s = {
		.starts = xreallocarray(NULL, 2 * n + 1, sizeof(*s.starts)),
		.owners = xreallocarray(NULL, 2 * n + 1, sizeof(*s.owners)),
	};
	cut_segments(b, &s);
	ret->memory[0] = xreallocarray(s.starts, s.nr + 1, sizeof(*s.starts));
	ret->memory[1] = xreallocarray(s.owners, s.nr + 1, sizeof(*s.owners));
	ret->memory[2] = b->entries.data;
	ret->starts = ret->memory[0];
	ret->owners = ret->memory[1];
	ret->entries = b->entries.data;
	ret->segments_nr = s.nr;
	ret->entries_nr = n;
	memset(&b->entries, 0, sizeof(b->entries));
	symtable_builder_deinit(b);
}
