#include "tracing/places.h"

static struct trace_place code_place(const struct resolved_frame *f)
{
	struct trace_place p = { .address = f->ip };
	if (!f->symbol)
		return p;
	p.symbol = dso_symbol_name(f->dso, f->symbol);
	p.offset = f->addr - f->symbol->start;
	return p;
}

static void find_places(struct machine *m, struct symbols *symbols, const struct resolved_sample *r, struct trace_fault *fault)
{
	const struct sample *x = &r->sample;
	uint16_t mode = x->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	fault->from = code_place(&r->leaf);
	/* The kernel faults on addresses of the program, too. */
	const struct map *map = machine_map(m, r->thread, PERF_RECORD_MISC_USER, x->addr, x->time);
	struct trace_place *to = &fault->to;
	*to = (struct trace_place){ .address = x->addr, .map = '?', .level = mode == PERF_RECORD_MISC_KERNEL ? 'k' : '.' };
	if (!map)
		return;
	to->map = map->is_data ? 'd' : 'x';
	to->file = map->file->path;
	to->offset = x->addr - map->start + map->pgoff;
	struct dso *dso = map->file->kind == MAPPED_FILE ? symbols_dso(symbols, map->file) : NULL;
	uint64_t at = dso ? dso_address(dso, map, x->addr) : 0;
	const struct symbol *symbol = dso ? dso_symbol(dso, at) : NULL;
	if (!symbol)
		return;
	to->symbol = dso_symbol_name(dso, symbol);
}

void trace_fault_line(struct resolver *resolver, const struct resolved_sample *r, bool major, struct trace_fault *fault,
		      struct trace_line *line)
{
	fault->major = major;
	find_places(resolver_machine(resolver), resolver_symbols(resolver), r, fault);
	line->kind = TRACE_LINE_FAULT;
	line->fault = fault;
}
