#include "view/name_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

/* ---- building ---- */

struct node_key {
	uint32_t parent;
	name_id name;
};

static bool node_eq(const void *table, uint32_t id, const void *key)
{
	const struct name_node *a = &((const struct name_node *)table)[id];
	const struct node_key *b = key;
	return a->parent == b->parent && a->name == b->name;
}

static uint32_t child_of(struct name_tree *t, uint32_t parent, name_id name)
{
	struct node_key key = { parent, name };
	uint64_t hash = hash_u64((uint64_t)parent << 32 | name);
	uint32_t id = idset_intern(&t->index, hash, node_eq, t->nodes.data, &key, t->nodes.len);
	if (id == t->nodes.len)
		vec_push(&t->nodes, ((struct name_node){ .parent = parent, .name = name }));
	return id;
}

typedef VEC(name_id) name_list;
typedef VEC(uint32_t) node_list;

struct builder {
	struct name_tree *t;
	const struct profile *p;
	bool reverse;
	name_id process; /* of the current row, or PROFILE_NONE */
	bool is_java;
	uint32_t top;    /* its node */
	/* By stack: process + 1 in the high half, node in the low one. Rows of one process come one after the other. */
	uint64_t *memo;
	VEC(stack_id) path;
};

static uint32_t add_frame(struct builder *b, uint32_t node, frame_id frame)
{
	struct name_span span = frame_names_get(&b->t->names, frame, b->is_java);
	for (uint32_t i = 0; i < span.nr; i++) {
		uint32_t at = b->reverse ? span.nr - 1 - i : i;
		node = child_of(b->t, node, b->t->names.lists.data[span.first + at]);
	}
	return node;
}

/* The node of a stack: from the nearest caller whose node is known, inwards. */
static uint32_t node_of(struct builder *b, stack_id stack)
{
	uint64_t owner = (uint64_t)(b->process + 1) << 32;
	uint32_t node = b->top;
	vec_clear(&b->path);
	for (; stack != PROFILE_NONE; stack = b->p->stacks.data[stack].caller) {
		uint64_t known = b->memo[stack];
		if (known && (known & ~(uint64_t)UINT32_MAX) == owner) {
			node = (uint32_t)known;
			break;
		}
		vec_push(&b->path, stack);
	}
	/* Neither process nor frame: the row still counts. */
	if (!node && !b->path.len)
		return child_of(b->t, 0, frame_names_add(&b->t->names, "[unknown]", NAME_USER));
	while (b->path.len) {
		stack_id s = vec_last(&b->path);
		b->path.len--;
		node = add_frame(b, node, b->p->stacks.data[s].frame);
		b->memo[s] = owner | node;
	}
	return node;
}

static uint32_t reversed_node_of(struct builder *b, stack_id stack)
{
	uint32_t node = 0;
	for (; stack != PROFILE_NONE; stack = b->p->stacks.data[stack].caller)
		node = add_frame(b, node, b->p->stacks.data[stack].frame);
	name_id last = b->process;
	if (last == PROFILE_NONE && node)
		return node;
	return child_of(b->t, node, last != PROFILE_NONE ? last : frame_names_add(&b->t->names, "[unknown]", NAME_USER));
}

/* Whether values of this event are sample counts by themselves. */
bool name_tree_counts_samples(const struct profile *p, uint32_t event, bool count_samples)
{
	return count_samples || p->events.data[event].is_tracepoint || !p->events.data[event].value;
}

static void take_process(struct builder *b, name_id process)
{
	b->process = process;
	b->is_java = frame_names_is_java(&b->t->names, process);
	b->top = process == PROFILE_NONE || b->reverse ? 0 : child_of(b->t, 0, process);
}

struct counting {
	uint32_t event, base_event;
	bool samples_only, base_samples_only, has_base;
};

static void count_row(const struct counting *c, struct name_node *node, const struct profile_row *row)
{
	if (row->event == c->event) {
		node->samples = add_saturated(node->samples, row->samples);
		node->value = add_saturated(node->value, c->samples_only ? row->samples : row->value);
	}
	if (c->has_base && row->event == c->base_event)
		node->base = add_saturated(node->base, c->base_samples_only ? row->samples : row->value);
}

static void add_rows(struct builder *b, const struct sort_pair *order, size_t n, const struct counting *c)
{
	for (size_t i = 0; i < n; i++) {
		const struct profile_row *row = &b->p->rows.data[order[i].value];
		if (!i || (name_id)order[i].key != b->process)
			take_process(b, (name_id)order[i].key);
		uint32_t id = b->reverse ? reversed_node_of(b, row->stack) : node_of(b, row->stack);
		count_row(c, &b->t->nodes.data[id], row);
	}
}

/* ---- one after the other ---- */

/* The names of a row, from the root out. */
static void row_names(struct builder *b, const struct profile_row *row, name_id process, name_list *ret)
{
	struct frame_names *names = &b->t->names;
	bool is_java = frame_names_is_java(names, process);
	vec_clear(ret);
	vec_clear(&b->path);
	if (process != PROFILE_NONE && !b->reverse)
		vec_push(ret, process);
	for (stack_id s = row->stack; s != PROFILE_NONE; s = b->p->stacks.data[s].caller)
		vec_push(&b->path, s);
	for (size_t i = 0; i < b->path.len; i++) {
		stack_id s = b->path.data[b->reverse ? i : b->path.len - 1 - i];
		struct name_span span = frame_names_get(names, b->p->stacks.data[s].frame, is_java);
		for (uint32_t k = 0; k < span.nr; k++)
			vec_push(ret, names->lists.data[span.first + (b->reverse ? span.nr - 1 - k : k)]);
	}
	if (process != PROFILE_NONE && b->reverse)
		vec_push(ret, process);
	if (!ret->len)
		vec_push(ret, frame_names_add(names, "[unknown]", NAME_USER));
}

/* The node of a path of names, starting from the common part with the previous path. */
static uint32_t next_node(struct name_tree *t, const name_list *names, node_list *path, uint64_t start)
{
	size_t same = 0;
	while (same < names->len && same < path->len && t->nodes.data[path->data[same]].name == names->data[same])
		same++;
	path->len = same;
	for (size_t i = same; i < names->len; i++) {
		struct name_node node = { .parent = i ? path->data[i - 1] : 0, .name = names->data[i], .start = start };
		vec_push(path, (uint32_t)t->nodes.len);
		vec_push(&t->nodes, node);
	}
	return vec_last(path);
}

/* The k-th of n equal parts of v; they add up to it. */
static uint64_t part_of(uint64_t v, uint64_t k, uint64_t n)
{
	return v / n + (k < v % n);
}

static void add_in_time(struct builder *b, const struct counting *c)
{
	const struct profile *p = b->p;
	name_list names = {};
	node_list path = {};
	uint64_t start = 0;
	size_t n = p->log.len ? p->log.len : p->rows.len;
	uint32_t *times = xcalloc(p->rows.len + 1, sizeof(*times)), *seen = xcalloc(p->rows.len + 1, sizeof(*seen));
	for (size_t i = 0; i < p->log.len; i++)
		times[p->log.data[i].row]++;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = p->log.len ? p->log.data[i].row : (uint32_t)i;
		const struct profile_row *row = &p->rows.data[at];
		if (row->event != c->event)
			continue;
		uint64_t parts = times[at] ? times[at] : 1, k = seen[at]++;
		row_names(b, row, frame_names_process(&b->t->names, row->labels), &names);
		uint32_t id = next_node(b->t, &names, &path, start); /* nodes may move */
		struct name_node *node = &b->t->nodes.data[id];
		uint64_t samples = part_of(row->samples, k, parts);
		uint64_t value = c->samples_only ? samples : part_of(row->value, k, parts);
		node->samples = add_saturated(node->samples, samples);
		node->value = add_saturated(node->value, value);
		start = add_saturated(start, value);
	}
	free(times);
	free(seen);
	vec_deinit(&names);
	vec_deinit(&path);
}

static void add_summed(struct builder *b, const struct counting *c)
{
	const struct profile *p = b->p;
	struct sort_pair *order = xreallocarray(NULL, p->rows.len + 1, sizeof(*order));
	size_t n = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event == c->event || (c->has_base && row->event == c->base_event))
			order[n++] = (struct sort_pair){ frame_names_process(&b->t->names, row->labels), i };
	}
	sort_pairs(order, n);
	b->memo = xcalloc(p->stacks.len + 1, sizeof(*b->memo));
	add_rows(b, order, n, c);
	free(b->memo);
	free(order);
}

void name_tree_init(struct name_tree *t, const struct profile *p, const struct name_tree_options *options)
{
	struct builder b = { .t = t, .p = p, .reverse = options->reverse };
	*t = (struct name_tree){};
	frame_names_init(&t->names, p, options->names);
	struct name_node root = { .parent = PROFILE_NONE, .name = PROFILE_NONE };
	vec_push(&t->nodes, root);
	struct counting c = {
		.event = options->event,
		.samples_only = name_tree_counts_samples(p, options->event, options->count_samples),
		.has_base = options->has_base,
		.base_event = options->base_event,
		.base_samples_only =
			options->has_base && name_tree_counts_samples(p, options->base_event, options->count_samples),
	};
	if (options->in_time)
		add_in_time(&b, &c);
	else
		add_summed(&b, &c);
	vec_deinit(&b.path);
}

void name_tree_deinit(struct name_tree *t)
{
	frame_names_deinit(&t->names);
	vec_deinit(&t->nodes);
	idset_deinit(&t->index);
	free(t->children);
}

/* ---- order ---- */

struct ranked {
	uint64_t head; /* the first bytes, by which most comparisons are decided */
	const char *text;
	uint32_t bytes; /* without mark and end */
	const char *mark;
	uint32_t mark_bytes;
	name_id name;
	bool path;
};

static unsigned char byte_at(const struct ranked *r, uint32_t i)
{
	if (i < r->bytes)
		return (unsigned char)r->text[i];
	return i < r->bytes + r->mark_bytes ? (unsigned char)r->mark[i - r->bytes] : ';';
}

static uint32_t length_of(const struct ranked *r)
{
	return r->bytes + r->mark_bytes + r->path;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	uint32_t x_bytes = length_of(x), y_bytes = length_of(y);
	uint32_t both = x->bytes < y->bytes ? x->bytes : y->bytes;
	int order = memcmp(x->text, y->text, both);
	for (uint32_t i = both; !order && i < x_bytes && i < y_bytes; i++)
		order = byte_at(x, i) - byte_at(y, i);
	if (order)
		return order;
	if (x_bytes != y_bytes)
		return x_bytes < y_bytes ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* equal texts of two modules */
}

/* Folded names already contain their marks. */
static const char *mark_of(const struct name_tree *t, name_id name)
{
	return t->names.options.full ? name_kind_mark(t->names.names.data[name].kind) : "";
}

static struct ranked ranked(const struct name_tree *t, name_id name, bool path)
{
	size_t bytes;
	struct ranked r = { .name = name, .path = path };
	r.text = frame_name_text(&t->names, name, &bytes);
	r.bytes = (uint32_t)bytes;
	r.mark = mark_of(t, name);
	r.mark_bytes = (uint32_t)strlen(r.mark);
	for (uint32_t i = 0; i < 8; i++)
		r.head = r.head << 8 | (i < length_of(&r) ? byte_at(&r, i) : 0);
	return r;
}

struct name_ranks name_tree_ranks(const struct name_tree *t)
{
	size_t names = t->names.names.len;
	struct ranked *all = xreallocarray(NULL, names * 2 + 1, sizeof(*all));
	struct name_ranks r = {
		.bare = xcalloc(names + 1, sizeof(*r.bare)),
		.as_path = xcalloc(names + 1, sizeof(*r.as_path)),
		.nr = (uint32_t)names * 2,
	};
	for (uint32_t i = 0; i < names; i++) {
		all[i * 2] = ranked(t, i, false);
		all[i * 2 + 1] = ranked(t, i, true);
	}
	qsort(all, r.nr, sizeof(*all), compare_ranked);
	for (uint32_t i = 0; i < r.nr; i++)
		(all[i].path ? r.as_path : r.bare)[all[i].name] = i;
	free(all);
	return r;
}

void name_ranks_deinit(struct name_ranks *r)
{
	free(r->bare);
	free(r->as_path);
}

static void count_children(struct name_tree *t)
{
	for (size_t i = 0; i < t->nodes.len; i++)
		t->nodes.data[i].children = 0;
	for (size_t i = 1; i < t->nodes.len; i++)
		t->nodes.data[t->nodes.data[i].parent].children++;
}

/* Makes children of the nodes in this order. */
static void distribute(struct name_tree *t, const uint32_t *order)
{
	uint32_t n = (uint32_t)t->nodes.len, at = 0;
	uint32_t *next = xcalloc((size_t)n + 1, sizeof(*next));
	free(t->children);
	t->children = xreallocarray(NULL, (size_t)n + 1, sizeof(*t->children));
	for (uint32_t i = 0; i < n; i++) {
		t->nodes.data[i].first_child = next[i] = at;
		at += t->nodes.data[i].children;
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		t->children[next[t->nodes.data[order[i]].parent]++] = order[i];
	free(next);
}

/* Two counting sorts: by rank, then by parent, which keeps the order of ranks. */
static void sort_by(struct name_tree *t, const uint32_t *leaf_rank, const uint32_t *parent_rank, uint32_t ranks_nr)
{
	uint32_t n = (uint32_t)t->nodes.len;
	uint32_t *order = xreallocarray(NULL, (size_t)n + 1, sizeof(*order));
	uint32_t *next = xcalloc((size_t)ranks_nr + 2, sizeof(*next));
	count_children(t);
#define RANK(node) ((t->nodes.data[node].children ? parent_rank : leaf_rank)[t->nodes.data[node].name])
	for (uint32_t i = 1; i < n; i++)
		next[RANK(i) + 1]++;
	for (uint32_t i = 1; i <= ranks_nr; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 1; i < n; i++)
		order[next[RANK(i)]++] = i;
#undef RANK
	distribute(t, order);
	free(next);
	free(order);
}

void name_tree_sort(struct name_tree *t, const uint32_t *rank, uint32_t ranks_nr)
{
	sort_by(t, rank, rank, ranks_nr);
}

void name_tree_sort_as_lines(struct name_tree *t, const struct name_ranks *ranks)
{
	sort_by(t, ranks->bare, ranks->as_path, ranks->nr);
}

void name_tree_keep_order(struct name_tree *t)
{
	uint32_t n = (uint32_t)t->nodes.len, *order = xreallocarray(NULL, (size_t)n + 1, sizeof(*order));
	for (uint32_t i = 1; i < n; i++)
		order[i - 1] = i;
	count_children(t);
	distribute(t, order);
	free(order);
}
