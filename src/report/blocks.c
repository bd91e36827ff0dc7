#include "report/blocks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "table/listing.h"

void blocks_init(struct blocks *b, uint32_t events_nr)
{
	*b = (struct blocks){ .events = xcalloc(events_nr + 1, sizeof(*b->events)), .events_nr = events_nr };
}

void blocks_deinit(struct blocks *b)
{
	vec_deinit(&b->all);
	idset_deinit(&b->index);
	free(b->events);
	*b = (struct blocks){};
}

static bool block_eq(const void *table, uint32_t id, const void *key)
{
	const struct block *a = &((const struct block *)table)[id], *b = key;
	return a->event == b->event && a->end.function == b->end.function && a->end.addr == b->end.addr;
}

static struct block *find_block(struct blocks *b, uint32_t event, const struct block_place *end)
{
	struct block k = { .event = event, .end = *end };
	uint64_t hash = hash_combine(hash_u64(end->addr ^ (uint64_t)event << 56), (uintptr_t)end->function);
	uint32_t id = idset_intern(&b->index, hash, block_eq, b->all.data, &k, b->all.len);
	if (id == b->all.len)
		vec_push(&b->all, k);
	return &b->all.data[id];
}

/* An earlier start makes it another block: executions from later ones do not count, nor those whose start is unknown. */
static void add_run(struct block *b, uint64_t start, uint64_t cycles)
{
	if (start && (!b->start || start < b->start)) {
		b->start = start;
		b->runs_nr = 0;
	}
	if (start == b->start && b->runs_nr < BLOCK_RUNS)
		b->runs[b->runs_nr++] = cycles;
}

void blocks_add(struct blocks *b, uint32_t event, const struct block_place *from, const struct block_place *end, uint64_t cycles)
{
	b->events[event].cycles += cycles;
	if (!cycles || !end->function)
		return;
	struct block *block = find_block(b, event, end);
	block->least = !block->times || cycles < block->least ? cycles : block->least;
	block->most = cycles > block->most ? cycles : block->most;
	block->cycles += cycles;
	block->times++;
	add_run(block, from->function == end->function && from->addr < end->addr ? from->addr : 0, cycles);
}

static int compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->end.addr < b->end.addr ? -1 : a->end.addr > b->end.addr;
}

void blocks_sort(struct blocks *b)
{
	if (b->all.len)
		qsort(b->all.data, b->all.len, sizeof(*b->all.data), compare_blocks);
}

void block_add_to_listing(const struct block *b, struct listing *l)
{
	uint32_t last = listing_find(l, b->end.addr), first = b->start ? listing_find(l, b->start) : LISTING_NONE;
	if (last == LISTING_NONE)
		return;
	while (l->cycles.len < l->insns.len)
		vec_push(&l->cycles, (struct listing_cycles){});
	uint64_t average = block_average(b);
	struct listing_cycles *at = &l->cycles.data[last];
	at->average = average;
	at->least = b->least;
	at->most = b->most;
	for (uint32_t i = first; first != LISTING_NONE && average && i <= last; i++)
		l->cycles.data[i].per_cycle = (double)(last - first + 1) / (double)average;
}
