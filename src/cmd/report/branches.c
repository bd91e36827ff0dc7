#include "cmd/report/branches.h"

struct branch_reader {
	struct report_run *run;
	struct blocks *blocks;
};

static struct block_place look_up(const struct branch_reader *b, const struct resolved_sample *s, uint64_t ip)
{
	struct machine *m = resolver_machine(b->run->resolver);
	const struct map *map = machine_map(m, s->thread, CPUMODE_UNKNOWN, ip, s->sample.time);
	struct dso *dso = map ? symbols_dso(resolver_symbols(b->run->resolver), map->file) : NULL;
	if (!dso)
		return (struct block_place){ .addr = ip };
	uint64_t addr = dso_address(dso, map, ip);
	return (struct block_place){ dso_symbol(dso, addr), map->file, addr };
}

static struct strobe_error *see_sample(void *ctx, const struct resolved_sample *s)
{
	const struct branch_reader *b = ctx;
	const struct sample *x = &s->sample;
	struct blocks_event *event = &b->blocks->events[x->event];
	event->samples++;
	event->branches += x->branch_nr;
	/* The newest is first: the code ran from the last one up. Without cycles there, none were counted. */
	if (!x->branch_nr || !x->branches[0].cycles)
		return NULL;
	struct block_place from = {};
	for (uint64_t i = x->branch_nr; i--;) {
		const struct perf_branch_entry *e = &x->branches[i];
		struct block_place end = look_up(b, s, e->from);
		blocks_add(b->blocks, x->event, &from, &end, e->cycles);
		from = look_up(b, s, e->to);
	}
	return NULL;
}

struct strobe_error *branches_read(struct report_run *r, struct blocks *b)
{
	struct branch_reader reader = { r, b };
	blocks_init(b, (uint32_t)r->env->events.len);
	return resolve_stream(r->resolver, (struct resolve_callbacks){ .sample = see_sample, .ctx = &reader });
}
