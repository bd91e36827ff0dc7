#include "cmd/report/blocks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

static bool block_eq(const void *table, uint32_t id, const void *key)
{
	const struct block *a = &((const struct block *)table)[id], *b = key;
	return a->event == b->event && a->end.symbol == b->end.symbol && a->end.addr == b->end.addr;
}

static void add_block(struct blocks *b, uint32_t event, const struct block_place *from, const struct block_place *to, uint64_t cycles)
{
	struct block k = { .event = event, .end = *to };
	uint64_t hash = hash_combine(hash_u64(to->addr ^ (uint64_t)event << 56), (uintptr_t)to->symbol);
	uint32_t id = idset_find(&b->index, hash, block_eq, b->all.data, &k);
	if (id == IDSET_NONE) {
		id = (uint32_t)b->all.len;
		vec_push(&b->all, k);
		idset_insert(&b->index, hash, id);
	}
	struct block *block = &b->all.data[id];
	block->least = !block->times || cycles < block->least ? cycles : block->least;
	block->most = cycles > block->most ? cycles : block->most;
	block->cycles += cycles;
	block->times++;
	if (from->symbol == to->symbol && from->addr < to->addr && (!block->start || from->addr < block->start))
		block->start = from->addr;
}

static struct block_place look_up(struct blocks *b, const struct resolved_sample *s, uint64_t ip)
{
	struct block_place p = { .addr = ip };
	struct machine *m = resolver_machine(b->run->resolver);
	p.map = machine_map(m, s->thread, CPUMODE_UNKNOWN, ip, s->sample.time);
	p.dso = p.map ? symbols_dso(resolver_symbols(b->run->resolver), p.map->file) : NULL;
	if (!p.dso)
		return p;
	p.addr = dso_address(p.dso, p.map, ip);
	p.symbol = dso_symbol(p.dso, p.addr);
	return p;
}

static struct strobe_error *see_sample(void *ctx, const struct resolved_sample *s)
{
	struct blocks *b = ctx;
	const struct sample *x = &s->sample;
	b->samples[x->event]++;
	b->branches[x->event] += x->branch_nr;
	/* The newest stands first: the code ran from the last one up. Without cycles there, none were counted. */
	if (!x->branch_nr || !x->branches[0].cycles)
		return NULL;
	struct block_place from = {};
	for (uint64_t i = x->branch_nr; i--;) {
		const struct perf_branch_entry *e = &x->branches[i];
		struct block_place to = look_up(b, s, e->from);
		b->totals[x->event] += e->cycles;
		if (e->cycles && to.symbol)
			add_block(b, x->event, &from, &to, e->cycles);
		from = look_up(b, s, e->to);
	}
	return NULL;
}

struct strobe_error *blocks_read(struct blocks *b, struct report_run *r)
{
	size_t n = r->env->events.len;
	b->run = r;
	b->totals = xcalloc(n + 1, sizeof(*b->totals));
	b->samples = xcalloc(n + 1, sizeof(*b->samples));
	b->branches = xcalloc(n + 1, sizeof(*b->branches));
	return resolve_stream(r->resolver, (struct resolve_callbacks){ .sample = see_sample, .ctx = b });
}

void blocks_deinit(struct blocks *b)
{
	vec_deinit(&b->all);
	idset_deinit(&b->index);
	free(b->totals);
	free(b->samples);
	free(b->branches);
}
