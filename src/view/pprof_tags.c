#include "view/pprof_tags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "view/pprof_graph.h"

/* ---- labels of a row ---- */

static bool is_text(const struct profile *p, const struct profile_label_column *c)
{
	/* the label that marks the base of a difference is not shown */
	return c->type == COLUMN_STRING && strcmp(profile_str(p, c->name), "pprof::base");
}

static bool is_size(const struct profile *p, const struct profile_label_column *c)
{
	return (c->type == COLUMN_I64 || c->type == COLUMN_U64) && !strcmp(profile_str(p, c->name), "bytes");
}

bool pprof_tags_has(const struct pprof_graph *r)
{
	for (size_t i = 0; i < r->p->columns.len; i++)
		if (is_text(r->p, &r->p->columns.data[i]) || is_size(r->p, &r->p->columns.data[i]))
			return true;
	return false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A size among a set of labels. */
struct tag_size {
	str_id text;
	int64_t size;
};

/* The texts and sizes of a set of labels, computed once for each set. */
struct label_tags {
	str_id texts;
	VEC(struct tag_size) sizes;
	bool is_made;
};

static str_id join_texts(struct pprof_tags *t, const struct profile *p, const uint64_t *values)
{
	_cleanup_strbuf_ struct strbuf b = {};
	VEC(char *) texts = {};
	for (size_t i = 0; i < p->columns.len; i++)
		if (values[i] && is_text(p, &p->columns.data[i]))
			vec_push(&texts, xasprintf("%s:%s", profile_str(p, p->columns.data[i].name),
						   profile_str(p, (str_id)values[i])));
	if (texts.len > 1)
		qsort(texts.data, texts.len, sizeof(char *), compare_texts);
	for (size_t i = 0; i < texts.len; i++) {
		strbuf_addf(&b, "%s%s", i ? "\n" : "", texts.data[i]);
		free(texts.data[i]);
	}
	vec_deinit(&texts);
	return strtab_add(&t->strings, strbuf_str(&b));
}

static void fill_tags(struct label_tags *tags, struct pprof_tags *t, const struct pprof_graph *r, labels_id labels)
{
	const struct profile *p = r->p;
	const uint64_t *values = profile_label_values(p, labels);
	tags->is_made = true;
	tags->texts = join_texts(t, p, values);
	for (uint32_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		if (!profile_has_label(p, c, values[i]) || !is_size(p, c))
			continue;
		char text[PPROF_LABEL_MAX];
		int64_t size = profile_label_number(values[i]);
		t->unit = profile_column_unit(p, i);
		pprof_label(size, t->unit, r->unit, text);
		vec_push(&tags->sizes, ((struct tag_size){ strtab_add(&t->strings, text), size }));
	}
}

/* ---- counting ---- */

struct counter {
	struct pprof_tags *t;
	const struct pprof_graph *r;
	struct idset index;
	uint32_t *seen, stamp; /* by node: the last row that had it on its stack */
	int64_t value, by;     /* of the current row */
};

static bool tag_eq(const void *table, uint32_t id, const void *key)
{
	const struct pprof_tag *a = (const struct pprof_tag *)table + id, *b = key;
	return a->node == b->node && a->texts == b->texts && a->size_text == b->size_text;
}

static void add_one(struct counter *c, struct pprof_tag tag, bool is_leaf)
{
	uint64_t hash = hash_u64(((uint64_t)tag.node << 32 | tag.texts) + hash_u64(tag.size_text));
	uint32_t id = idset_intern(&c->index, hash, tag_eq, c->t->list.data, &tag, c->t->list.len);
	if (id == c->t->list.len)
		vec_push(&c->t->list, tag);
	struct pprof_tag *at = &c->t->list.data[id];
	*(is_leaf ? &at->flat : &at->cum) += c->value;
	*(is_leaf ? &at->flat_by : &at->cum_by) += c->by;
}

static void add(struct counter *c, uint32_t node, const struct label_tags *tags, bool is_leaf)
{
	struct pprof_tag tag = { .node = node, .texts = tags->texts };
	if (tags->texts)
		add_one(c, tag, is_leaf);
	for (size_t i = 0; i < tags->sizes.len; i++) {
		tag.size_text = tags->sizes.data[i].text;
		tag.size = tags->sizes.data[i].size;
		add_one(c, tag, is_leaf);
	}
}

static void add_stack(struct counter *c, stack_id stack, const struct label_tags *tags)
{
	const struct callgraph *g = c->r->graph;
	bool is_leaf = true;
	c->stamp++;
	for (stack_id s = stack; s != PROFILE_NONE; s = c->r->p->stacks.data[s].caller) {
		uint32_t node = callgraph_node_of(g, s);
		if (node == PROFILE_NONE)
			continue;
		bool is_kept = g->nodes.data[node].kept;
		if (is_kept && is_leaf)
			add(c, node, tags, true);
		is_leaf = false;
		if (is_kept && c->seen[node] != c->stamp)
			add(c, node, tags, false);
		c->seen[node] = c->stamp;
	}
}

static void add_rows(struct counter *c)
{
	const struct profile *p = c->r->p;
	struct label_tags *tags = xcalloc((size_t)p->labels_nr + 1, sizeof(*tags));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		labels_id l = row->labels;
		c->value = row->event == c->r->o.event ? (int64_t)row->value : 0;
		c->by = c->r->o.mean ? callgraph_divisor(c->r->graph, row) : 0;
		if ((!c->value && !c->by) || row->stack == PROFILE_NONE || l == PROFILE_NONE)
			continue;
		if (!tags[l].is_made)
			fill_tags(&tags[l], c->t, c->r, l);
		if (tags[l].texts || tags[l].sizes.len)
			add_stack(c, row->stack, &tags[l]);
	}
	for (labels_id l = 0; l < p->labels_nr; l++)
		vec_deinit(&tags[l].sizes);
	free(tags);
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = ((const struct pprof_tag *)a)->node, y = ((const struct pprof_tag *)b)->node;
	return (x > y) - (x < y);
}

static void drop_rare(struct pprof_tags *t, int64_t least)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->list.len; i++) {
		const struct pprof_tag *tag = &t->list.data[i];
		if (pprof_size_of(tag->flat) >= least || pprof_size_of(tag->cum) >= least)
			t->list.data[kept++] = *tag;
	}
	t->list.len = kept;
}

void pprof_tags_make(struct pprof_tags *t, const struct pprof_graph *r, int64_t least)
{
	size_t nodes = r->graph->nodes.len;
	struct counter c = { .t = t, .r = r, .seen = xcalloc(nodes + 1, sizeof(*c.seen)) };
	pprof_tags_deinit(t);
	strtab_init(&t->strings);
	add_rows(&c);
	idset_deinit(&c.index);
	free(c.seen);
	drop_rare(t, least);
	if (t->list.len > 1)
		qsort(t->list.data, t->list.len, sizeof(*t->list.data), compare_nodes);
	t->first = xcalloc(nodes + 2, sizeof(*t->first));
	for (size_t i = 0; i < t->list.len; i++)
		t->first[t->list.data[i].node + 1] = (uint32_t)i + 1;
	for (size_t i = 1; i <= nodes; i++)
		t->first[i] = t->first[i] ? t->first[i] : t->first[i - 1];
}

void pprof_tags_deinit(struct pprof_tags *t)
{
	if (t->first)
		strtab_deinit(&t->strings);
	vec_deinit(&t->list);
	free(t->first);
	*t = (struct pprof_tags){};
}

uint32_t pprof_tags_count(const struct pprof_tags *t, uint32_t node)
{
	uint32_t nr = 0;
	for (uint32_t i = t->first ? t->first[node] : 0; t->first && i < t->first[node + 1]; i++)
		nr += t->list.data[i].flat != 0;
	return nr;
}

/* ---- boxes ---- */

/* A tag, or several sizes in one box. */
struct group {
	const struct pprof_tag *least, *most, *head;
	str_id name;
	uint32_t nr;
	int64_t flat, cum, flat_by, cum_by;
};

struct order {
	bool by_flat;
	const struct pprof_tags *t;
};

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct group *x = a, *y = b;
	const struct order *o = ctx;
	if (!o->by_flat && x->cum != y->cum)
		return pprof_size_of(x->cum) > pprof_size_of(y->cum) ? -1 : 1;
	if (x->flat != y->flat)
		return pprof_size_of(x->flat) > pprof_size_of(y->flat) ? -1 : 1;
	return strcmp(strtab_get(&o->t->strings, x->name), strtab_get(&o->t->strings, y->name));
}

typedef VEC(struct group) groups;

/* Tags of a node with these texts: sizes, or (any) the texts themselves, the largest first. */
static void list_groups(const struct order *o, uint32_t node, const str_id *texts, groups *ret)
{
	const struct pprof_tags *t = o->t;
	for (uint32_t i = t->first[node]; i < t->first[node + 1]; i++) {
		const struct pprof_tag *tag = &t->list.data[i];
		if (texts ? !tag->size_text || tag->texts != *texts : tag->size_text != 0)
			continue;
		struct group g = { tag, tag, tag, texts ? tag->size_text : tag->texts, 1, tag->flat, tag->cum, tag->flat_by, tag->cum_by };
		vec_push(ret, g);
	}
	if (ret->len > 1)
		qsort_r(ret->data, ret->len, sizeof(struct group), compare_groups, (void *)o);
}

static int64_t mean(int64_t value, int64_t by)
{
	return by ? value / by : value;
}

/* Merges sizes after the first few into the group with the nearest first size. */
static void share_boxes(const struct order *o, struct pprof_tags *t, groups *list)
{
	for (size_t i = PPROF_BOXES_MAX; i < list->len; i++) {
		const struct group *one = &list->data[i];
		struct group *nearest = &list->data[0];
		for (size_t j = 1; j < PPROF_BOXES_MAX; j++)
			if (pprof_size_of(one->head->size - list->data[j].head->size) <
			    pprof_size_of(one->head->size - nearest->head->size))
				nearest = &list->data[j];
		nearest->least = one->head->size < nearest->least->size ? one->head : nearest->least;
		nearest->most = one->head->size > nearest->most->size ? one->head : nearest->most;
		nearest->nr++;
		nearest->flat += one->flat, nearest->flat_by += one->flat_by;
		nearest->cum += one->cum, nearest->cum_by += one->cum_by;
	}
	if (list->len <= PPROF_BOXES_MAX)
		return;
	list->len = PPROF_BOXES_MAX;
	for (size_t i = 0; i < list->len; i++) {
		struct group *g = &list->data[i];
		char least[PPROF_LABEL_MAX], most[PPROF_LABEL_MAX], text[2 * PPROF_LABEL_MAX + 2];
		pprof_label(g->least->size, t->unit, "auto", least);
		pprof_label(g->most->size, t->unit, "auto", most);
		snprintf(text, sizeof(text), g->nr > 1 ? "%s..%s" : "%s", least, most);
		g->name = strtab_add(&t->strings, text);
	}
	qsort_r(list->data, list->len, sizeof(struct group), compare_groups, (void *)o);
}

static void push_box(struct pprof_boxes *b, const struct order *o, const struct group *g, struct pprof_box box)
{
	int64_t flat = mean(g->flat, g->flat_by), cum = mean(g->cum, g->cum_by);
	bool is_flat = o->by_flat || (box.is_size && flat == cum);
	box.value = is_flat ? flat : cum;
	box.is_passed = box.is_size && !is_flat;
	if (!box.value)
		return;
	box.text = xstrdup(strtab_get(&o->t->strings, g->name));
	vec_push(&b->list, box);
}

static void push_sizes(struct pprof_boxes *b, const struct order *o, struct pprof_tags *t, uint32_t node, str_id texts,
		       uint32_t parent)
{
	groups sizes = {};
	list_groups(o, node, &texts, &sizes);
	share_boxes(o, t, &sizes);
	for (uint32_t i = 0; i < sizes.len; i++)
		push_box(b, o, &sizes.data[i], (struct pprof_box){ .parent = parent, .number = i, .is_size = true });
	vec_deinit(&sizes);
}

/* Tags of an inner node are for its flat value; those of a leaf of the graph for its cumulative one. */
static bool leads_on(const struct pprof_graph *r, uint32_t node)
{
	const struct callgraph_node *n = &r->graph->nodes.data[node];
	for (uint32_t i = 0; i < n->out_nr; i++)
		if (!r->graph->edges.data[r->graph->out.data[n->out_first + i]].dropped)
			return true;
	return false;
}

void pprof_boxes_init(struct pprof_boxes *b, const struct pprof_graph *r, uint32_t node)
{
	struct pprof_tags *t = r->tags;
	struct order o = { .by_flat = leads_on(r, node), .t = t };
	groups texts = {};
	*b = (struct pprof_boxes){};
	if (!t || !t->first)
		return;
	list_groups(&o, node, NULL, &texts);
	for (uint32_t i = 0; i < texts.len && i < PPROF_BOXES_MAX; i++) {
		size_t had = b->list.len;
		push_box(b, &o, &texts.data[i], (struct pprof_box){ .parent = PROFILE_NONE, .number = i });
		if (b->list.len > had)
			push_sizes(b, &o, t, node, texts.data[i].head->texts, (uint32_t)had);
	}
	push_sizes(b, &o, t, node, 0, PROFILE_NONE);
	vec_deinit(&texts);
}

void pprof_boxes_deinit(struct pprof_boxes *b)
{
	for (size_t i = 0; i < b->list.len; i++)
		free(b->list.data[i].text);
	vec_deinit(&b->list);
}
