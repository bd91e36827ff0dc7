/*
 * report --total-cycles: which blocks of code the processor spent its cycles in, out of branch records with cycle counts.
 *
 * Between the target of one branch and the source of the next the code ran straight on: a block, within one function. Its
 * cycles are those of the branch that ends it. Blocks that end in the same place are one, from the earliest beginning that
 * was seen. What ends where no symbol is known counts in the whole and is not shown, as in the reference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmd/report/report.h"
#include "cmd/report/run.h"

struct place {
	struct dso *dso;
	const struct map *map;
	const struct symbol *symbol; /* or NULL */
	uint64_t addr;               /* in the DSO's space */
};

struct block {
	uint32_t event;
	struct place end;
	uint64_t start; /* in the DSO's space; 0 where no beginning was seen */
	uint64_t cycles, times;
};

struct blocks {
	struct report_run *run;
	VEC(struct block) all;
	struct idset index;
	uint64_t *totals, *samples, *branches; /* by event */
};

static bool block_eq(const void *table, uint32_t id, const void *key)
{
	const struct block *a = &((const struct block *)table)[id], *b = key;
	return a->event == b->event && a->end.symbol == b->end.symbol && a->end.addr == b->end.addr;
}

static void add_block(struct blocks *b, uint32_t event, const struct place *from, const struct place *to, uint64_t cycles)
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
	block->cycles += cycles;
	block->times++;
	if (from->symbol == to->symbol && from->addr < to->addr && (!block->start || from->addr < block->start))
		block->start = from->addr;
}

static struct place look_up(struct blocks *b, const struct resolved_sample *s, uint64_t ip)
{
	struct place p = { .addr = ip };
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
	struct place from = {};
	for (uint64_t i = x->branch_nr; i--;) {
		const struct perf_branch_entry *e = &x->branches[i];
		struct place to = look_up(b, s, e->from);
		b->totals[x->event] += e->cycles;
		if (e->cycles && to.symbol)
			add_block(b, x->event, &from, &to, e->cycles);
		from = look_up(b, s, e->to);
	}
	return NULL;
}

/* ---- the table ---- */

static int compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->end.addr < b->end.addr ? -1 : a->end.addr > b->end.addr;
}

static const char *cycles_text(uint64_t cycles, char *text, size_t bytes)
{
	if (cycles >= 1000000)
		snprintf(text, bytes, "%.1fM", (double)cycles / 1000000.0);
	else if (cycles >= 1000)
		snprintf(text, bytes, "%.1fK", (double)cycles / 1000.0);
	else
		snprintf(text, bytes, "%llu", (unsigned long long)cycles);
	return text;
}

static void range_text(const struct block *b, struct strbuf *out)
{
	const struct symbol *sym = b->end.symbol;
	const char *name = dso_symbol_name(b->end.dso, sym);
	uint64_t end = b->end.addr - sym->start;
	strbuf_reset(out);
	if (b->start)
		strbuf_addf(out, "[%s+0x%llx -> 0x%llx]", name, (unsigned long long)(b->start - sym->start), (unsigned long long)end);
	else
		strbuf_addf(out, "[%s+? -> 0x%llx]", name, (unsigned long long)end);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

struct widths {
	int range, dso;
};

static struct widths measure(const struct block *all, size_t n, struct strbuf *text)
{
	struct widths w = { (int)strlen("[Program Block Range]"), (int)strlen("Shared Object") };
	for (size_t i = 0; i < n; i++) {
		range_text(&all[i], text);
		int dso = (int)strlen(all[i].end.map->file->name);
		w.range = (int)text->len > w.range ? (int)text->len : w.range;
		w.dso = dso > w.dso ? dso : w.dso;
	}
	return w;
}

static void add_dots(struct out *out, int n, const char *behind)
{
	for (int i = 0; i < n; i++)
		out_ch(out, '.');
	out_str(out, behind);
}

static void print_event(struct blocks *b, struct out *out, uint32_t event, const struct block *all, size_t n)
{
	const struct report_options *o = b->run->o;
	struct strbuf range = {};
	char sum[32], average[32];
	struct widths w = measure(all, n, &range);
	uint64_t averages = 0;
	for (size_t i = 0; i < n; i++)
		averages += all[i].cycles / all[i].times;
	if (!o->quiet) {
		out_f(out, "# Samples: %llu  of event '%s'\n", (unsigned long long)b->branches[event],
		      b->run->env->events.data[event].name);
		out_f(out, "# Event count (approx.): %llu\n#\n", (unsigned long long)b->branches[event]);
		out_f(out, "# Sampled Cycles%%  Sampled Cycles  Avg Cycles%%  Avg Cycles  %*s  %*s\n", w.range,
		      "[Program Block Range]", w.dso, "Shared Object");
		out_str(out, "# ...............  ..............  ...........  ..........  ");
		add_dots(out, w.range, "  ");
		add_dots(out, w.dso, "\n#\n");
	}
	for (size_t i = 0; i < n; i++) {
		const struct block *k = &all[i];
		double share = percent(k->cycles, b->totals[event]);
		if (share < o->percent_limit)
			continue;
		range_text(k, &range);
		out_f(out, "%16.2f%%  %14s  %10.2f%%  %10s  ", share, cycles_text(k->cycles, sum, sizeof(sum)),
		      percent(k->cycles / k->times, averages), cycles_text(k->cycles / k->times, average, sizeof(average)));
		out_fill(out, ' ', (size_t)w.range - range.len);
		out_text(out, strbuf_str(&range), range.len);
		out_f(out, "  %*s", w.dso - (int)strlen(k->end.map->file->name), "");
		out_text(out, k->end.map->file->name, strlen(k->end.map->file->name));
		out_ch(out, '\n');
	}
	out_str(out, "\n");
	strbuf_deinit(&range);
}

struct strobe_error *report_print_cycles(struct report_run *r, struct out *out)
{
	size_t n = r->env->events.len;
	struct blocks b = { .run = r };
	b.totals = xcalloc(n + 1, sizeof(*b.totals));
	b.samples = xcalloc(n + 1, sizeof(*b.samples));
	b.branches = xcalloc(n + 1, sizeof(*b.branches));
	struct strobe_error *err =
		resolve_stream(r->resolver, (struct resolve_callbacks){ .sample = see_sample, .ctx = &b });
	if (b.all.len)
		qsort(b.all.data, b.all.len, sizeof(*b.all.data), compare_blocks);
	for (size_t from = 0, event = 0; event < n; event++) {
		size_t to = from;
		while (to < b.all.len && b.all.data[to].event == event)
			to++;
		if (b.samples[event])
			print_event(&b, out, (uint32_t)event, b.all.data + from, to - from);
		from = to;
	}
	vec_deinit(&b.all);
	idset_deinit(&b.index);
	free(b.totals);
	free(b.samples);
	free(b.branches);
	return err;
}
