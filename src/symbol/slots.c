/* The slots of a DSO's global offset table by address: read once, when the first is requested. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "demangle/demangle.h"
#include "symbol/symbol_priv.h"

struct dso_slots {
	struct arena arena;
	VEC(struct slot {
		uint64_t addr;
		const char *name;
	}) all; /* by address */
};

struct slot_reader {
	struct dso *dso;
	struct dso_slots *to;
};

static void add_slot(void *ctx, const struct object_slot *slot)
{
	struct slot_reader *r = ctx;
	const char *of = slot->symbol;
	if (!of) {
		const struct symbol *s = dso_symbol(r->dso, slot->address);
		of = s && s->start == slot->address ? s->raw_name : "";
	}
	if (!*of)
		return;
	char *shown = demangle_is_mangled(of) ? demangle_name(of) : NULL;
	const char *name = arena_printf(&r->to->arena, "%s@got", shown ? shown : of);
	free(shown);
	vec_push(&r->to->all, ((struct slot){ .addr = slot->vaddr, .name = name }));
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct dso_slots *read_slots(struct dso *d, struct object *o)
{
	struct dso_slots *s = xcalloc(1, sizeof(*s));
	arena_init(&s->arena);
	object_each_slot(o, add_slot, &(struct slot_reader){ d, s });
	if (s->all.len)
		qsort(s->all.data, s->all.len, sizeof(*s->all.data), compare_slots);
	return s;
}

void dso_slots_destroy(struct dso_slots *s)
{
	if (!s)
		return;
	arena_deinit(&s->arena);
	vec_deinit(&s->all);
	free(s);
}

/* Names of slots are symbols, which take the DSO's lock: of two threads that read them at once, one's work is in vain. */
static struct dso_slots *slots_of(struct dso *d)
{
	struct dso_slots *s = atomic_load_explicit(&d->slots, memory_order_acquire), *none = NULL;
	struct object *debug, *o = s ? NULL : dso_object(d, &debug);
	if (s || !o)
		return s;
	s = read_slots(d, o);
	if (atomic_compare_exchange_strong(&d->slots, &none, s))
		return s;
	dso_slots_destroy(s);
	return none;
}

const char *dso_slot_name(struct dso *d, uint64_t addr)
{
	const struct dso_slots *s = slots_of(d);
	struct slot key = { .addr = addr };
	const struct slot *found =
		s && s->all.len ? bsearch(&key, s->all.data, s->all.len, sizeof(key), compare_slots) : NULL;
	return found ? found->name : NULL;
}
