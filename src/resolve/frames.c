#include "resolve/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void frame_cache_init(struct frame_cache *c, struct machine *machine, struct symbols *symbols)
{
	*c = (struct frame_cache){ .machine = machine, .symbols = symbols };
}

void frame_cache_deinit(struct frame_cache *c)
{
	idset_deinit(&c->index);
	vec_deinit(&c->frames);
	vec_deinit(&c->expanded);
	vec_deinit(&c->dsos);
}

static struct dso *dso_of(struct frame_cache *c, const struct mapped_file *file)
{
	while (c->dsos.len <= file->id)
		vec_push(&c->dsos, NULL);
	if (!c->dsos.data[file->id])
		c->dsos.data[file->id] = symbols_dso(c->symbols, file);
	return c->dsos.data[file->id];
}

static struct resolved_frame resolve_address(struct frame_cache *c, struct frame_where where, uint64_t ip)
{
	struct resolved_frame f = { .ip = ip, .addr = ip, .cpumode = where.cpumode };
	f.map = machine_space_map(c->machine, where.space, where.cpumode, ip);
	if (!f.map)
		return f;
	f.dso = dso_of(c, f.map->file);
	if (!f.dso)
		return f;
	f.addr = dso_address(f.dso, f.map, ip);
	f.symbol = dso_symbol(f.dso, f.addr);
	/*
	 * As in perf, the function is that of the return address, which is the next function if a call that does not return
	 * is the last instruction.
	 */
	f.is_call = where.call_site && f.symbol && f.addr > f.symbol->start;
	/* The load address of a module is of no interest: an address without a symbol is shown relative to the module. */
	if (!f.symbol && f.map->file->kind == MAPPED_MODULE)
		f.addr = ip - f.map->start + f.map->pgoff;
	return f;
}

uint32_t frame_cache_add(struct frame_cache *c, struct frame_where where, uint64_t ip)
{
	uint32_t id = (uint32_t)c->frames.len;
	uint32_t in = where.cpumode == PERF_RECORD_MISC_KERNEL ? where.kernel : where.space;
	struct resolved_frame f = resolve_address(c, where, ip);
	f.number = id;
	f.key = in << 1 | where.call_site;
	vec_push(&c->frames, f);
	idset_insert(&c->index, frame_hash(ip, frame_context(where)), id);
	return id;
}

unsigned inlines_expand(const struct resolved_frame *f, const struct resolve_options *o,
			struct resolved_frame ret[SOURCE_FRAMES_MAX])
{
	struct source_frame at[SOURCE_FRAMES_MAX];
	ret[0] = *f;
	if (!f->dso)
		return 1;
	uint64_t addr = source_address(f);
	if (!o->with_inlines) {
		dso_source_line(f->dso, addr, &ret[0].file, &ret[0].line);
		return 1;
	}
	unsigned n = 0;
	if (f->symbol)
		n = o->with_lines ? dso_source(f->dso, addr, f->symbol, at) : dso_functions(f->dso, addr, f->symbol, at);
	for (unsigned i = 0; i < n; i++) {
		ret[i] = *f;
		ret[i].symbol = at[i].symbol;
		ret[i].inlined = at[i].inlined;
		ret[i].file = at[i].file;
		ret[i].line = at[i].line;
	}
	return n ? n : 1;
}

struct frame_run frame_cache_expand(struct frame_cache *c, uint32_t number, const struct resolve_options *o)
{
	struct resolved_frame at[SOURCE_FRAMES_MAX];
	while (c->expanded.len <= number)
		vec_push(&c->expanded, ((struct frame_run){ 0 }));
	struct frame_run *run = &c->expanded.data[number];
	if (run->nr)
		return *run;
	*run = (struct frame_run){ (uint32_t)c->frames.len, inlines_expand(&c->frames.data[number], o, at) };
	for (uint32_t i = 0; i < run->nr; i++) {
		at[i].number = run->first + i;
		vec_push(&c->frames, at[i]);
	}
	return *run;
}

struct resolved_frame resolve_sample_address(struct machine *machine, struct symbols *symbols, const struct resolved_sample *s,
					     uint64_t ip)
{
	struct resolved_frame f = { .ip = ip, .addr = ip, .cpumode = s->sample.misc & PERF_RECORD_MISC_CPUMODE_MASK };
	f.map = machine_map(machine, s->thread, f.cpumode, ip, s->sample.time);
	if (!f.map) {
		f.cpumode = CPUMODE_UNKNOWN;
		f.map = machine_map(machine, s->thread, f.cpumode, ip, s->sample.time);
	}
	if (f.map) {
		f.dso = symbols_dso(symbols, f.map->file);
		f.addr = dso_address(f.dso, f.map, ip);
		f.symbol = dso_symbol(f.dso, f.addr);
	}
	return f;
}
