#include "datatypes/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "datatypes/layout_rows.h"

void usage_init(struct usage *u, struct datatypes *types, const struct listing_event *events, uint32_t events_nr)
{
	*u = (struct usage){ .types = types, .events = events, .events_nr = events_nr };
	strtab_init(&u->strings);
	for (unsigned i = 0; i < DATATYPE_RESULTS; i++)
		vec_push(&u->stats.reasons, ((struct layout_count){ .name = datatype_result_name(i) }));
}

void usage_deinit(struct usage *u)
{
	for (size_t i = 0; i < u->all.len; i++)
		vec_deinit(&u->all.data[i].costs);
	vec_deinit(&u->all);
	vec_deinit(&u->stats.reasons);
	vec_deinit(&u->stats.mnemonics);
	u64map_deinit(&u->by_name);
	u64map_deinit(&u->by_mnemonic);
	strtab_deinit(&u->strings);
}

/* ---- instructions ---- */

static void count(struct layout_count *c, bool is_known)
{
	c->known += is_known;
	c->unknown += !is_known;
}

static void count_mnemonic(struct usage *u, const char *text, bool is_known)
{
	str_id name = strtab_add_n(&u->strings, text, strcspn(text, " "));
	uint64_t *index = u64map_put(&u->by_mnemonic, name, NULL);
	if (!*index) {
		vec_push(&u->stats.mnemonics, ((struct layout_count){ .name = strtab_get(&u->strings, name) }));
		*index = u->stats.mnemonics.len;
	}
	count(&u->stats.mnemonics.data[*index - 1], is_known);
}

static size_t type_of(struct usage *u, const char *path, const struct type *type)
{
	_cleanup_strbuf_ struct strbuf name = {};
	if (!type_text(type, &name))
		return 0;
	str_id object = strtab_add(&u->strings, path), id = strtab_add(&u->strings, strbuf_str(&name));
	uint64_t *index = u64map_put(&u->by_name, (uint64_t)object << 32 | id, NULL);
	if (!*index) {
		vec_push(&u->all, ((struct usage_type){ .object = path, .name = id, .type = type }));
		*index = u->all.len;
	}
	return (size_t)*index;
}

/* Finds what the next costs are of. */
static void begin(struct usage *u, struct dso *dso, const char *path, uint64_t code)
{
	struct datatype found;
	enum datatype_result r = datatypes_find(u->types, dso, code, NULL, &found);
	const char *text = datatypes_insn(u->types, dso, code);
	bool is_known = r <= DATATYPE_CANARY;
	count(&u->stats.all, is_known);
	count(&u->stats.reasons.data[r], is_known);
	if (text)
		count_mnemonic(u, text, is_known);
	u->last.dso = dso;
	u->last.code = code;
	u->last.type = r == DATATYPE_FOUND ? type_of(u, path, found.type) : 0;
	u->last.offset = found.offset;
}

void usage_add(struct usage *u, struct dso *dso, const char *path, uint64_t code, uint32_t event, struct listing_value cost)
{
	if (u->last.dso != dso || u->last.code != code)
		begin(u, dso, path, code);
	if (u->last.type)
		vec_push(&u->all.data[u->last.type - 1].costs, ((struct usage_cost){ u->last.offset, event, cost }));
}

/* ---- types ---- */

static bool is_in(const struct layout_row *r, uint64_t offset)
{
	if (r->stride && (offset < r->array_start || offset - r->array_start >= r->array_bytes))
		return false;
	if (r->stride)
		offset = r->array_start + (offset - r->array_start) % r->stride;
	return offset >= r->offset && offset - r->offset < r->bytes;
}

static void add(struct listing_value *to, struct listing_value v)
{
	to->samples += v.samples;
	to->value += v.value;
}

static struct listing_value total(const struct usage_type *t, uint32_t event)
{
	struct listing_value ret = {};
	for (size_t i = 0; i < t->costs.len; i++)
		if (t->costs.data[i].event == event)
			add(&ret, t->costs.data[i].cost);
	return ret;
}

static int by_number(const void *a, const void *b)
{
	const struct layout_count *x = a, *y = b;
	uint64_t nx = x->known + x->unknown, ny = y->known + y->unknown;
	return nx != ny ? (nx > ny ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_cost(const void *a, const void *b, void *ctx)
{
	const struct usage *u = ctx;
	const struct usage_type *x = &u->all.data[*(const uint32_t *)a], *y = &u->all.data[*(const uint32_t *)b];
	for (uint32_t e = 0; e < u->events_nr; e++) {
		uint64_t vx = total(x, e).value, vy = total(y, e).value;
		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	int order = strcmp(x->object, y->object);
	return order ? order : strcmp(strtab_get(&u->strings, x->name), strtab_get(&u->strings, y->name));
}

uint32_t *usage_rank(struct usage *u, size_t *ret_nr)
{
	uint32_t *ret = xcalloc(u->all.len + 1, sizeof(*ret));
	for (uint32_t i = 0; i < u->all.len; i++)
		ret[i] = i;
	qsort_r(ret, u->all.len, sizeof(*ret), by_cost, u);
	qsort(u->stats.reasons.data, u->stats.reasons.len, sizeof(*u->stats.reasons.data), by_number);
	if (u->stats.mnemonics.len)
		qsort(u->stats.mnemonics.data, u->stats.mnemonics.len, sizeof(*u->stats.mnemonics.data), by_number);
	*ret_nr = u->all.len;
	return ret;
}

static void add_costs(struct layout *l, const struct usage_type *t)
{
	size_t columns = l->events.len, n = l->rows.len * columns;
	for (size_t i = 0; i < n; i++)
		vec_push(&l->values, (struct listing_value){});
	for (size_t r = 0; r < l->rows.len; r++)
		for (size_t i = 0; i < t->costs.len; i++)
			if (is_in(&l->rows.data[r], t->costs.data[i].offset))
				add(&l->values.data[r * columns + t->costs.data[i].event], t->costs.data[i].cost);
}

struct layout *usage_layout(const struct usage *u, uint32_t type)
{
	const struct usage_type *t = &u->all.data[type];
	struct layout *l = xcalloc(1, sizeof(*l));
	arena_init(&l->arena);
	l->type = arena_strdup(&l->arena, strtab_get(&u->strings, t->name));
	l->object = arena_strdup(&l->arena, t->object);
	for (uint32_t e = 0; e < u->events_nr; e++) {
		struct listing_event event = u->events[e];
		struct listing_value all = total(t, e);
		event.samples = all.samples;
		event.value = all.value;
		vec_push(&l->events, event);
	}
	layout_rows(t->type, l);
	add_costs(l, t);
	return l;
}
