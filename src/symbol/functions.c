/*
 * Functions of a DSO without symbols: by name from Go's .gopclntab, else by unwind information, "DSO!func_ADDRESS".
 *
 * Read once, when an address without a symbol is looked up. Names with an exclamation mark are made here, and not in symbol tables.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/symbol_priv.h"
#include "unwind/functions.h"

struct dso_functions {
	struct unwind_functions ranges;
	_Atomic(struct made_symbol *) *made; /* by range; owned by the DSO's arena */
	_Atomic uint32_t named;
};

static struct dso_functions *read_functions(struct dso *d)
{
	struct dso_functions *f = xcalloc(1, sizeof(*f));
	if (d->object && object_header(d->object)->type != ET_REL)
		unwind_functions_of(d->object, d->symbols_object, &f->ranges);
	f->made = xcalloc(f->ranges.list.len + 1, sizeof(*f->made));
	return f;
}

void dso_functions_destroy(struct dso_functions *f)
{
	if (!f)
		return;
	vec_deinit(&f->ranges.list);
	free(f->made);
	free(f);
}

/* If two threads read at once, one result is discarded. */
static struct dso_functions *functions_of(struct dso *d)
{
	struct dso_functions *f = atomic_load_explicit(&d->functions, memory_order_acquire), *none = NULL;
	if (f)
		return f;
	f = read_functions(d);
	if (atomic_compare_exchange_strong(&d->functions, &none, f))
		return f;
	dso_functions_destroy(f);
	return none;
}

static struct made_symbol *make(struct dso *d, const struct unwind_function *at)
{
	struct made_symbol *m = arena_new(&d->arena, struct made_symbol);
	m->symbol = (struct symbol){
		.start = at->start + (uint64_t)d->shift,
		.end = at->end + (uint64_t)d->shift,
		.raw_name = arena_printf(&d->arena, "%s!func_%" PRIx64, d->file->name ? d->file->name : "", at->start),
		.binding = STB_LOCAL,
		.type = 't',
	};
	return m;
}

const struct symbol *dso_function(struct dso *d, uint64_t addr)
{
	const struct symbols_options *o = &d->session->options;
	if (!(SYMBOL_HAS_FUNCTIONS & 1u << d->file->kind) || o->no_symbols || o->no_functions)
		return NULL;
	struct dso_functions *f = functions_of(d);
	const struct unwind_function *at = unwind_function_at(&f->ranges, addr - (uint64_t)d->shift);
	if (!at)
		return NULL;
	_Atomic(struct made_symbol *) *to = &f->made[at - f->ranges.list.data];
	struct made_symbol *m = atomic_load_explicit(to, memory_order_acquire);
	if (m)
		return &m->symbol;
	pthread_mutex_lock(&d->lock);
	m = atomic_load_explicit(to, memory_order_relaxed);
	if (!m) {
		m = make(d, at);
		atomic_store_explicit(to, m, memory_order_release);
		atomic_fetch_add(&f->named, 1);
	}
	pthread_mutex_unlock(&d->lock);
	return &m->symbol;
}

uint32_t dso_functions_named(struct dso *d)
{
	struct dso_functions *f = atomic_load_explicit(&d->functions, memory_order_acquire);
	return f ? atomic_load(&f->named) : 0;
}
