#include "session/report/cycles.h"

#include <stdlib.h>

#include "base/mem.h"
#include "session/report/code.h"
#include "session/report/reread.h"

/* ---- blocks ---- */

struct branch_reader {
	struct report_session *session;
	struct blocks *blocks;
};

static struct block_place look_up(const struct branch_reader *b, const struct resolved_sample *s, uint64_t ip)
{
	struct machine *m = resolver_machine(b->session->session.resolver);
	const struct map *map = machine_map(m, s->thread, CPUMODE_UNKNOWN, ip, s->sample.time);
	struct dso *dso = map ? symbols_dso(resolver_symbols(b->session->session.resolver), map->file) : NULL;
	if (!dso)
		return (struct block_place){ .addr = ip };
	uint64_t addr = dso_address(dso, map, ip);
	return (struct block_place){ dso_symbol(dso, addr), map->file, addr };
}

static struct strobe_error *add_sample(void *ctx, const struct resolved_sample *s)
{
	const struct branch_reader *b = ctx;
	const struct sample *x = &s->sample;
	struct blocks_event *event = &b->blocks->events[x->event];
	event->samples++;
	event->branches += x->branch_nr;
	/* The newest branch is first: code ran from the last one to the first. Without cycles in it, the hardware does not count them. */
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

struct strobe_error *report_read_blocks(struct report_session *r, struct blocks *b)
{
	struct branch_reader reader = { r, b };
	blocks_init(b, (uint32_t)r->session.env->events.len);
	return resolve_stream(r->session.resolver, (struct resolve_callbacks){ .sample = add_sample, .ctx = &reader });
}

/* ---- of listings ---- */

struct report_cycles {
	struct report_session again; /* whose resolver has the addresses of blocks */
	struct blocks blocks;
};

static bool has_branches(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

struct strobe_error *report_count_cycles(struct report_session *r, struct report_cycles **ret)
{
	*ret = NULL;
	if (!has_branches(r->session.env))
		return NULL;
	struct report_cycles *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = report_reread_begin(r, r, &c->again);
	if (!err)
		err = report_read_blocks(&c->again, &c->blocks);
	if (c->blocks.all.len && !error_is(err, ERROR_STOPPED)) {
		error_destroy(err); /* reported when the recording was read first */
		*ret = c;
		return NULL;
	}
	report_cycles_destroy(c);
	return err;
}

void report_cycles_destroy(struct report_cycles *c)
{
	if (!c)
		return;
	blocks_deinit(&c->blocks);
	report_reread_end(&c->again);
	free(c);
}

const struct blocks *report_cycles_blocks(const struct report_cycles *c)
{
	return &c->blocks;
}

struct block_names report_block_names(const struct report_cycles *c, const struct block *b)
{
	const struct mapped_file *file = b->end.object;
	const struct symbol *symbol = b->end.function;
	struct dso *dso = symbols_dso(resolver_symbols(c->again.session.resolver), file);
	return (struct block_names){ dso_symbol_name(dso, symbol), file->name, symbol->start };
}

void report_add_cycles(const struct report_cycles *c, const struct report_session *r, const struct report_part *part, mapping_id mapping,
		       struct listing *l)
{
	const struct profile_mapping *m = &r->profile->mappings.data[mapping];
	for (size_t i = 0; c && i < c->blocks.all.len; i++) {
		const struct block *b = &c->blocks.all.data[i];
		const struct symbol *symbol = b->end.function;
		if (symbol->start == l->start && report_part_counts(part, b->event) && report_is_file_of(b->end.object, r->profile, m))
			block_add_to_listing(b, l);
	}
}
