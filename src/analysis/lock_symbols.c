#include "analysis/lock_symbols.h"

#include <string.h>

/* Ends of ranges; without an end, a function. */
static const struct {
	const char *start, *end;
} bounds[LOCK_RANGES] = {
	{ "__sched_text_start", "__sched_text_end" },
	{ "__lock_text_start", "__lock_text_end" },
	{ "__traceiter_contention_begin", NULL },
	{ "trace_contention_begin", NULL },
};

static void take_symbol(void *ctx, const struct symbol *sym)
{
	struct lock_symbols *s = ctx;
	for (size_t i = 0; i < LOCK_RANGES; i++) {
		if (!strcmp(sym->raw_name, bounds[i].start)) {
			s->ranges[i].start = sym->start;
			if (!bounds[i].end)
				s->ranges[i].end = sym->end;
		} else if (bounds[i].end && !strcmp(sym->raw_name, bounds[i].end)) {
			s->ranges[i].end = sym->start;
		}
	}
}

struct dso *lock_symbols_kernel(struct resolver *r)
{
	const struct machine *m = resolver_machine(r);
	for (size_t i = 0; i < machine_files_count(m); i++) {
		const struct mapped_file *f = machine_file_at(m, i);
		if (f->kind == MAPPED_KERNEL && !f->guest)
			return symbols_dso(resolver_symbols(r), f);
	}
	return NULL;
}

void lock_symbols_load(struct lock_symbols *s, struct dso *kernel)
{
	s->kernel = kernel;
	if (kernel)
		dso_each_symbol(kernel, take_symbol, s);
}

bool lock_symbols_is_lock(const struct lock_symbols *s, uint64_t ip)
{
	for (size_t i = 0; i < LOCK_RANGES; i++)
		if (ip >= s->ranges[i].start && ip < s->ranges[i].end)
			return true;
	return false;
}

const struct symbol *lock_symbols_at(const struct lock_symbols *s, uint64_t address)
{
	return s->kernel ? dso_symbol(s->kernel, address) : NULL;
}

struct search {
	const char *name;
	uint64_t address;
	bool is_found;
};

static void compare_symbol(void *ctx, const struct symbol *sym)
{
	struct search *s = ctx;
	if (s->is_found || strcmp(sym->raw_name, s->name) != 0)
		return;
	s->is_found = true;
	s->address = sym->start;
}

bool lock_symbols_address(const struct lock_symbols *s, const char *name, uint64_t *ret)
{
	struct search search = { .name = name };
	if (s->kernel)
		dso_each_symbol(s->kernel, compare_symbol, &search);
	*ret = search.address;
	return search.is_found;
}
