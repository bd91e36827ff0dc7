/* The order of a report's rows. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "profile/cells_priv.h"

/* A cell for comparisons, looked up once per entry, since sorting compares it repeatedly. */
union cell {
	uint64_t value;   /* sums, the greatest first */
	int64_t number;
	const char *name; /* NULL sorts after all names */
	const struct profile_function *function; /* by its address */
};

enum cell_kind { CELL_SUM, CELL_NUMBER, CELL_NAME, CELL_FUNCTION, CELL_OTHER };

struct sorter {
	const struct hist *h;
	const struct hist_key *by;
	uint32_t by_nr, event;
	uint32_t thread; /* label column that distinguishes threads, or PROFILE_NONE */
	enum cell_kind *kinds;
	union cell *cells;  /* of entry e and key i: cells[e * by_nr + i] */
	uint64_t *threads;  /* by entry */
};

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* The other events of a group, in their order. */
static int compare_others(const struct sorter *s, uint32_t a, uint32_t b, const struct column *c)
{
	const struct hist_stat *x = hist_stats(s->h, &s->h->entries.data[a]), *y = hist_stats(s->h, &s->h->entries.data[b]);
	int order = 0;
	/* With children perf only compares the deciding event. */
	for (uint32_t j = 0; !order && !c->sum->of_children && j < s->h->options.events_nr; j++)
		if (j != s->event)
			order = compare_u64_down(hist_value(&x[j], c), hist_value(&y[j], c));
	return order;
}

/* With equal shares callers precede their callees: the entry with the longer stacks below it comes first. */
static int compare_depth(const struct sorter *s, uint32_t a, uint32_t b)
{
	const struct hist *h = s->h;
	if (s->threads[a] != s->threads[b])
		return 0;
	uint32_t x = h->entries.data[a].max_depth, y = h->entries.data[b].max_depth;
	int order = x > y ? -1 : x < y;
	return h->options.callee_first ? -order : order;
}

static int compare(const struct sorter *s, uint32_t a, uint32_t b)
{
	const struct hist *h = s->h;
	const union cell *x = s->cells + (size_t)a * s->by_nr, *y = s->cells + (size_t)b * s->by_nr;
	for (uint32_t i = 0; i < s->by_nr; i++) {
		int order = 0;
		switch (s->kinds[i]) {
		case CELL_SUM:
			order = compare_u64_down(x[i].value, y[i].value);
			if (!order && h->options.events_nr > 1)
				order = compare_others(s, a, b, s->by[i].column);
			if (!order && h->options.callers_above && s->by[i].column->sum->of_children)
				order = compare_depth(s, a, b);
			break;
		case CELL_NUMBER: order = x[i].number < y[i].number ? -1 : x[i].number > y[i].number; break;
		case CELL_NAME: order = compare_names(x[i].name, y[i].name); break;
		case CELL_FUNCTION:
		case CELL_OTHER:
			order = column_compare(h, &s->by[i], &h->entries.data[a], &h->entries.data[b]);
			break;
		}
		if (order)
			return order;
	}
	return 0;
}

static enum cell_kind kind_of(const struct hist *h, const struct hist_key *k)
{
	if (k->column->from == COLUMN_FROM_VALUES)
		return CELL_SUM;
	return k->column->cells->name ? CELL_NAME : k->column->cells->by_number ? CELL_NUMBER : CELL_OTHER;
}

static union cell cell_of(const struct sorter *s, const struct hist_key *k, enum cell_kind kind, const struct hist_entry *e)
{
	const struct hist *h = s->h;
	union cell c = {};
	switch (kind) {
	case CELL_SUM: c.value = hist_value(&hist_stats(h, e)[s->event], k->column); break;
	case CELL_NUMBER: c.number = (int64_t)hist_label(h, e, k->label, 0); break;
	case CELL_NAME: c.name = k->column->cells->name(h, k, e); break;
	case CELL_FUNCTION: c.function = hist_function(h, e); break;
	case CELL_OTHER: break;
	}
	return c;
}

static void look_up_cells(struct sorter *s, enum cell_kind (*kind)(const struct hist *h, const struct hist_key *k))
{
	size_t n = s->h->entries.len;
	s->kinds = xreallocarray(NULL, s->by_nr + 1, sizeof(*s->kinds));
	for (uint32_t i = 0; i < s->by_nr; i++)
		s->kinds[i] = kind(s->h, &s->by[i]);
	s->cells = xreallocarray(NULL, n * s->by_nr + 1, sizeof(*s->cells));
	for (size_t e = 0; e < n; e++) {
		const struct hist_entry *entry = &s->h->entries.data[e];
		for (uint32_t i = 0; i < s->by_nr; i++)
			s->cells[e * s->by_nr + i] = cell_of(s, &s->by[i], s->kinds[i], entry);
	}
}

/* ---- by what distinguishes entries, in the order of the keys: the same whatever order entries were made in ---- */

static enum cell_kind identity_kind_of(const struct hist *h, const struct hist_key *k)
{
	enum cell_kind kind = kind_of(h, k);
	if (kind == CELL_NAME && k->column->cells->names_function)
		return CELL_FUNCTION;
	return kind == CELL_NUMBER && k->label2 != PROFILE_NONE ? CELL_OTHER : kind;
}

static int compare_identity(const void *pa, const void *pb, void *ctx)
{
	const struct sorter *s = ctx;
	const struct hist *h = s->h;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const union cell *x = s->cells + (size_t)a * s->by_nr, *y = s->cells + (size_t)b * s->by_nr;
	for (uint32_t i = 0; i < s->by_nr; i++) {
		int order = 0;
		if (s->kinds[i] == CELL_NAME)
			order = compare_names(x[i].name, y[i].name);
		else if (s->kinds[i] == CELL_NUMBER)
			order = x[i].number < y[i].number ? -1 : x[i].number > y[i].number;
		else if (s->kinds[i] == CELL_FUNCTION && x[i].function && y[i].function)
			order = column_compare_functions(x[i].function, y[i].function);
		else
			order = column_compare_identity(h, &s->by[i], &h->entries.data[a], &h->entries.data[b]);
		if (order)
			return order;
	}
	return a < b ? -1 : a > b;
}

/*
 * Callers precede callees only within a thread, so the order is not transitive, and the result depends on the algorithm. perf
 * inserts entries one by one into a red-black tree; the same tree gives the same report.
 */
#define NIL UINT32_MAX

struct tree {
	uint32_t root;
	struct tree_node {
		uint32_t parent, child[2];
		bool red;
	} *nodes;
};

static void rotate(struct tree *t, uint32_t n, int side)
{
	struct tree_node *nodes = t->nodes;
	uint32_t up = nodes[n].child[!side], parent = nodes[n].parent;
	nodes[n].child[!side] = nodes[up].child[side];
	if (nodes[up].child[side] != NIL)
		nodes[nodes[up].child[side]].parent = n;
	nodes[up].parent = parent;
	if (parent == NIL)
		t->root = up;
	else
		nodes[parent].child[nodes[parent].child[1] == n] = up;
	nodes[up].child[side] = n;
	nodes[n].parent = up;
}

static void rebalance(struct tree *t, uint32_t n)
{
	struct tree_node *nodes = t->nodes;
	uint32_t parent;
	while ((parent = nodes[n].parent) != NIL && nodes[parent].red) {
		uint32_t above = nodes[parent].parent;
		int side = nodes[above].child[1] == parent;
		uint32_t uncle = nodes[above].child[!side];
		if (uncle != NIL && nodes[uncle].red) {
			nodes[parent].red = nodes[uncle].red = false;
			nodes[above].red = true;
			n = above;
			continue;
		}
		if (nodes[parent].child[!side] == n) {
			rotate(t, parent, side);
			n = parent;
			parent = nodes[n].parent;
		}
		nodes[parent].red = false;
		nodes[above].red = true;
		rotate(t, above, !side);
	}
	nodes[t->root].red = false;
}

static void insert(struct tree *t, const struct sorter *s, uint32_t n)
{
	uint32_t parent = NIL, at = t->root;
	int side = 0;
	while (at != NIL) {
		parent = at;
		side = compare(s, n, at) >= 0;
		at = t->nodes[at].child[side];
	}
	t->nodes[n] = (struct tree_node){ .parent = parent, .child = { NIL, NIL }, .red = true };
	if (parent == NIL)
		t->root = n;
	else
		t->nodes[parent].child[side] = n;
	rebalance(t, n);
}

static uint32_t first_of(const struct tree *t, uint32_t n)
{
	while (n != NIL && t->nodes[n].child[0] != NIL)
		n = t->nodes[n].child[0];
	return n;
}

static uint32_t next_of(const struct tree *t, uint32_t n)
{
	if (t->nodes[n].child[1] != NIL)
		return first_of(t, t->nodes[n].child[1]);
	uint32_t parent;
	while ((parent = t->nodes[n].parent) != NIL && t->nodes[parent].child[1] == n)
		n = parent;
	return parent;
}

/* Sorts all entries, including hidden ones. */
static void order_by_tree(const struct sorter *s, struct sorter *identity, uint32_t *order, uint32_t n)
{
	qsort_r(order, n, sizeof(*order), compare_identity, identity);
	struct tree t = { .root = NIL, .nodes = xreallocarray(NULL, n + 1, sizeof(*t.nodes)) };
	for (uint32_t i = 0; i < n; i++)
		insert(&t, s, order[i]);
	for (uint32_t e = first_of(&t, t.root); e != NIL; e = next_of(&t, e))
		*order++ = e;
	free(t.nodes);
}

/* ---- where the order is transitive, as it is of one thread: what the tree finds, sooner ---- */

static bool is_transitive(const struct sorter *s)
{
	const struct hist *h = s->h;
	for (size_t e = 1; h->options.callers_above && e < h->entries.len; e++)
		if (s->threads[e] != s->threads[0])
			return false;
	return true;
}

struct orders {
	const struct sorter *s;
	struct sorter *identity;
};

static int compare_both(const void *a, const void *b, void *ctx)
{
	const struct orders *o = ctx;
	int order = compare(o->s, *(const uint32_t *)a, *(const uint32_t *)b);
	return order ? order : compare_identity(a, b, o->identity);
}

static uint64_t first_bytes(const char *name)
{
	uint64_t key = 0;
	if (!name)
		return UINT64_MAX;
	for (unsigned i = 0; i < 8; i++)
		key = key << 8 | (*name ? (unsigned char)*name++ : 0);
	return key;
}

/* What decides next: of sums the value and the depth, of names the bytes from an offset on. */
struct step {
	uint32_t cell, offset;
};

/* Fewer entries are compared one by one sooner. */
#define ENTRIES_BY_STEPS 6
/* Names that differ late, and each elsewhere, would take a step for each. */
#define STEPS_MAX 256

static uint64_t step_key(const struct sorter *s, struct step at, uint32_t entry)
{
	const struct hist *h = s->h;
	const union cell *c = &s->cells[(size_t)entry * s->by_nr + at.cell];
	switch (s->kinds[at.cell]) {
	case CELL_SUM:
		if (!at.offset)
			return ~c->value;
		if (!h->options.callers_above || !s->by[at.cell].column->sum->of_children)
			return 0;
		return h->options.callee_first ? h->entries.data[entry].max_depth : UINT32_MAX - h->entries.data[entry].max_depth;
	case CELL_NUMBER: return (uint64_t)c->number ^ 1ull << 63;
	case CELL_NAME: return first_bytes(c->name ? c->name + at.offset : NULL);
	case CELL_FUNCTION:
	case CELL_OTHER: break;
	}
	return 0;
}

/* False: a number cannot say the order, or names have all been the same up to there. */
static bool is_by_steps(const struct sorter *s, struct step at)
{
	if (at.cell == s->by_nr || s->kinds[at.cell] == CELL_FUNCTION || s->kinds[at.cell] == CELL_OTHER)
		return false;
	return s->kinds[at.cell] != CELL_SUM || !at.offset || s->h->options.events_nr < 2;
}

static struct step step_after(const struct sorter *s, struct step at, uint64_t key)
{
	enum cell_kind kind = s->kinds[at.cell];
	if (kind == CELL_SUM && !at.offset)
		return (struct step){ at.cell, 1 };
	if (kind == CELL_NAME && (uint8_t)key) /* else they have ended */
		return (struct step){ at.cell, at.offset + 8 };
	return (struct step){ at.cell + 1, 0 };
}

/* How many bytes from the offset on all names have in common; of names that are all the same, 0. */
static uint32_t common_bytes(const struct sorter *s, struct step at, const uint32_t *order, uint32_t n)
{
	uint32_t common = UINT32_MAX;
	const char *first = s->cells[(size_t)order[0] * s->by_nr + at.cell].name;
	for (uint32_t i = 1; i < n && common; i++) {
		const char *name = s->cells[(size_t)order[i] * s->by_nr + at.cell].name;
		if (!first || !name)
			return 0;
		for (uint32_t j = 0; name != first && j < common; j++)
			if (name[at.offset + j] != first[at.offset + j] || !name[at.offset + j])
				common = j;
	}
	return common == UINT32_MAX ? 0 : common;
}

/*
 * Entries that are alike up to a step, in linear time where there are many. pairs: room for as many. Names of templates begin alike for
 * hundreds of bytes, which comparing each with many others would read again and again.
 */
static void order_by_steps(const struct orders *o, struct step at, unsigned steps, struct sort_pair *pairs, uint32_t *order, uint32_t n)
{
	const struct sorter *s = o->s;
	if (n < ENTRIES_BY_STEPS || steps == STEPS_MAX || !is_by_steps(s, at)) {
		qsort_r(order, n, sizeof(*order), compare_both, (void *)o);
		return;
	}
	if (s->kinds[at.cell] == CELL_NAME)
		at.offset += common_bytes(s, at, order, n);
	for (uint32_t i = 0; i < n; i++)
		pairs[i] = (struct sort_pair){ step_key(s, at, order[i]), order[i] };
	sort_pairs(pairs, n);
	for (uint32_t from = 0, to; from < n; from = to) {
		uint64_t key = pairs[from].key;
		for (to = from; to < n && pairs[to].key == key; to++)
			order[to] = (uint32_t)pairs[to].value;
		/* Names of such bytes and no names have one key. */
		unsigned taken = s->kinds[at.cell] == CELL_NAME && key == UINT64_MAX ? STEPS_MAX : steps + 1;
		if (to - from > 1)
			order_by_steps(o, step_after(s, at, key), taken, pairs + from, order + from, to - from);
	}
}

static void order_transitively(const struct sorter *s, struct sorter *identity, uint32_t *order, uint32_t n)
{
	struct sort_pair *pairs = xreallocarray(NULL, n + 1, sizeof(*pairs));
	struct orders orders = { s, identity };
	order_by_steps(&orders, (struct step){}, 0, pairs, order, n);
	free(pairs);
}

void hist_sort(struct hist *h, const struct hist_key *by, uint32_t by_nr, uint32_t event)
{
	struct sorter s = { .h = h, .by = by, .by_nr = by_nr, .event = event < h->options.events_nr ? event : 0 };
	struct sorter identity = { .h = h, .by = h->options.keys, .by_nr = h->options.keys_nr };
	uint32_t n = (uint32_t)h->entries.len;
	s.thread = h->thread_label;
	if (s.thread == PROFILE_NONE)
		s.thread = profile_find_column(h->profile, "comm");
	h->order = xreallocarray(h->order, n + 1, sizeof(*h->order));
	s.threads = xreallocarray(NULL, n + 1, sizeof(*s.threads));
	for (uint32_t e = 0; e < n; e++) {
		h->order[e] = e;
		s.threads[e] = hist_label(h, &h->entries.data[e], s.thread, 0);
	}
	look_up_cells(&s, kind_of);
	look_up_cells(&identity, identity_kind_of);
	if (is_transitive(&s))
		order_transitively(&s, &identity, h->order, n);
	else
		order_by_tree(&s, &identity, h->order, n);
	h->order_nr = 0;
	h->ranks = xreallocarray(h->ranks, n + 1, sizeof(*h->ranks));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = h->order[i];
		if (h->entries.data[e].hidden)
			continue;
		h->ranks[e] = h->order_nr;
		h->order[h->order_nr++] = e;
	}
	free(identity.kinds);
	free(identity.cells);
	free(s.kinds);
	free(s.cells);
	free(s.threads);
}

/* ---- by one column ---- */

struct ranked {
	uint64_t key;     /* compared first: for a name, its first bytes */
	const char *name;
	uint32_t entry;
};

struct ranker {
	struct sorter sorter;
	enum cell_kind kind;
};

static struct ranked ranked_of(const struct ranker *r, uint32_t entry)
{
	const struct sorter *s = &r->sorter;
	union cell c = cell_of(s, s->by, r->kind, &s->h->entries.data[entry]);
	struct ranked ret = { .entry = entry };
	switch (r->kind) {
	case CELL_SUM: ret.key = ~c.value; break;
	case CELL_NUMBER: ret.key = (uint64_t)c.number ^ 1ull << 63; break;
	case CELL_NAME:
		ret.name = c.name;
		ret.key = first_bytes(c.name);
		break;
	case CELL_FUNCTION:
	case CELL_OTHER: break;
	}
	return ret;
}

static int compare_ranked(const void *pa, const void *pb, void *ctx)
{
	const struct ranked *a = pa, *b = pb;
	const struct ranker *r = ctx;
	const struct hist *h = r->sorter.h;
	int order = a->key < b->key ? -1 : a->key > b->key;
	if (!order && r->kind == CELL_NAME)
		order = compare_names(a->name, b->name);
	if (!order && r->kind == CELL_OTHER)
		order = column_compare(h, r->sorter.by, &h->entries.data[a->entry], &h->entries.data[b->entry]);
	if (!order)
		order = h->ranks[a->entry] < h->ranks[b->entry] ? -1 : 1;
	return order;
}

void hist_reorder(struct hist *h, const struct hist_key *by, uint32_t event)
{
	struct ranker r = { .sorter = { .h = h, .by = by, .by_nr = 1, .event = event < h->options.events_nr ? event : 0 } };
	struct ranked *rows = xreallocarray(NULL, h->order_nr + 1, sizeof(*rows));
	r.kind = kind_of(h, by);
	for (uint32_t i = 0; i < h->order_nr; i++)
		rows[i] = ranked_of(&r, h->order[i]);
	qsort_r(rows, h->order_nr, sizeof(*rows), compare_ranked, &r);
	for (uint32_t i = 0; i < h->order_nr; i++)
		h->order[i] = rows[i].entry;
	free(rows);
}
