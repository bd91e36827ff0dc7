#include "view/tui/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* The column of process names, if they differ; PROFILE_NONE: there is one process. */
static uint32_t process_column(const struct profile *p, uint32_t event)
{
	uint32_t column = 0;
	const uint64_t *first = NULL;
	while (column < p->columns.len && strcmp(profile_str(p, p->columns.data[column].name), "comm") != 0)
		column++;
	if (column == p->columns.len || p->columns.data[column].type != COLUMN_STRING)
		return PROFILE_NONE;
	for (size_t i = 0; i < p->rows.len; i++) {
		const uint64_t *values = profile_label_values(p, p->rows.data[i].labels);
		if (p->rows.data[i].event != event || p->rows.data[i].stack == PROFILE_NONE)
			continue;
		if (first && values[column] != first[column])
			return column;
		first = first ? first : values;
	}
	return PROFILE_NONE;
}

static bool is_part(const void *table, uint32_t id, const void *key)
{
	const struct flame_tree *t = table;
	const struct flame_part *have = &t->parts.data[id], *part = key;
	return have->stack == part->stack && have->process == part->process;
}

static uint32_t find_part(const struct flame_tree *t, stack_id stack, str_id process)
{
	const struct flame_part key = { .stack = stack, .process = process };
	return idset_find(&t->part_index, hash_combine(process, stack), is_part, t, &key);
}

static uint32_t add_part(struct flame_tree *t, stack_id stack, uint32_t caller, str_id process)
{
	struct flame_part part = { stack, caller, process };
	uint32_t id = (uint32_t)t->parts.len;
	idset_insert(&t->part_index, hash_combine(process, stack), id);
	vec_push(&t->parts, part);
	return id;
}

/* The part of a stack; its callers, as far as they are new, are added before it. */
static uint32_t part_of(struct flame_tree *t, stack_id stack, str_id process)
{
	VEC(stack_id) missing = {};
	uint32_t part = find_part(t, stack, process);
	for (; part == IDSET_NONE && stack != PROFILE_NONE; part = find_part(t, stack, process)) {
		vec_push(&missing, stack);
		stack = t->profile->stacks.data[stack].caller;
	}
	if (part == IDSET_NONE)
		part = add_part(t, PROFILE_NONE, PROFILE_NONE, process);
	for (size_t i = missing.len; i-- > 0;)
		part = add_part(t, missing.data[i], part, process);
	vec_deinit(&missing);
	return part;
}

static void make_parts(struct flame_tree *t, uint32_t event, uint32_t column)
{
	const struct profile *p = t->profile;
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event && p->rows.data[i].stack != PROFILE_NONE)
			part_of(t, p->rows.data[i].stack, (str_id)profile_label_values(p, p->rows.data[i].labels)[column]);
}

/* Callers have lower IDs than their callees, so that one backward pass adds up values and lists callees. */
void flame_tree_init(struct flame_tree *t, const struct profile *p, uint32_t event)
{
	struct flame_node root = { .parent = PROFILE_NONE, .first = PROFILE_NONE, .next = PROFILE_NONE, .frame = PROFILE_NONE };
	*t = (struct flame_tree){ .profile = p };
	uint32_t column = process_column(p, event);
	if (column != PROFILE_NONE)
		make_parts(t, event, column);
	t->stacks_nr = t->parts.len ? t->parts.len : p->stacks.len;
	t->stacks = xcalloc(t->stacks_nr + 1, sizeof(*t->stacks));
	t->same = xmalloc((t->stacks_nr + 1) * sizeof(*t->same));
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		if (row->event != event || row->stack == PROFILE_NONE)
			continue;
		uint32_t s = row->stack;
		if (t->parts.len)
			s = find_part(t, s, (str_id)profile_label_values(p, row->labels)[column]);
		t->stacks[s].value += row->value;
	}
	for (uint32_t s = (uint32_t)t->stacks_nr; s-- > 0;) {
		struct flame_stack *st = &t->stacks[s];
		uint32_t caller = t->parts.len ? t->parts.data[s].caller : p->stacks.data[s].caller;
		if (!st->value)
			continue;
		uint32_t *first = caller == PROFILE_NONE ? &t->outermost : &t->stacks[caller].callees;
		st->sibling = *first;
		*first = s + 1;
		*(caller == PROFILE_NONE ? &root.value : &t->stacks[caller].value) += st->value;
	}
	vec_push(&t->nodes, root);
}

void flame_tree_deinit(struct flame_tree *t)
{
	free(t->stacks);
	free(t->same);
	vec_deinit(&t->parts);
	idset_deinit(&t->part_index);
	vec_deinit(&t->nodes);
	idset_deinit(&t->index);
	*t = (struct flame_tree){};
}

/* Functions by their interned name; frames without one by address. */
static uint64_t name_of(const struct profile *p, frame_id frame)
{
	const struct profile_frame *f = &p->frames.data[frame];
	return f->function == PROFILE_NONE ? hash_u64(f->ip) | 1ull << 63 : p->functions.data[f->function].name;
}

static bool is_child(const void *table, uint32_t id, const void *key)
{
	const struct flame_tree *t = table;
	const struct flame_node *n = &t->nodes.data[id], *other = key;
	return n->parent == other->parent && n->name == other->name;
}

/* The number of the profile's stack; PROFILE_NONE: a process. */
static stack_id stack_of(const struct flame_tree *t, uint32_t stack)
{
	return t->parts.len ? t->parts.data[stack].stack : stack;
}

static void add_stack(struct flame_tree *t, uint32_t parent, uint32_t stack)
{
	struct flame_node n = { .parent = parent, .first = PROFILE_NONE, .next = t->nodes.data[parent].first, .frame = PROFILE_NONE };
	if (stack_of(t, stack) == PROFILE_NONE) {
		n.process = t->parts.data[stack].process;
		n.name = n.process;
	} else {
		n.frame = t->profile->stacks.data[stack_of(t, stack)].frame;
		n.name = name_of(t->profile, n.frame);
	}
	uint64_t hash = hash_combine(parent, n.name);
	uint32_t id = idset_intern(&t->index, hash, is_child, t, &n, t->nodes.len);
	if (id == t->nodes.len) {
		t->nodes.data[parent].first = id;
		vec_push(&t->nodes, n);
	}
	struct flame_node *node = &t->nodes.data[id];
	t->same[stack] = node->stacks;
	node->stacks = stack + 1;
	node->value += t->stacks[stack].value;
}

uint32_t flame_tree_children(struct flame_tree *t, uint32_t node)
{
	if (!t->nodes.data[node].has_children_made) {
		t->nodes.data[node].has_children_made = true;
		for (uint32_t s = node == FLAME_ROOT ? t->outermost : 0; s; s = t->stacks[s - 1].sibling)
			add_stack(t, node, s - 1);
		for (uint32_t own = t->nodes.data[node].stacks; own; own = t->same[own - 1])
			for (uint32_t s = t->stacks[own - 1].callees; s; s = t->stacks[s - 1].sibling)
				add_stack(t, node, s - 1);
	}
	return t->nodes.data[node].first;
}

uint64_t flame_tree_name_hash(const struct flame_tree *t, uint32_t node)
{
	const struct profile *p = t->profile;
	const struct flame_node *n = &t->nodes.data[node];
	if (n->frame == PROFILE_NONE)
		return hash_str(profile_str(p, n->process));
	const struct profile_frame *f = &p->frames.data[n->frame];
	return f->function == PROFILE_NONE ? hash_u64(f->ip) : hash_str(profile_str(p, p->functions.data[f->function].name));
}

uint64_t flame_tree_sum(const struct flame_tree *t, bool (*passes)(void *ctx, frame_id frame), void *ctx)
{
	const struct profile *p = t->profile;
	enum { UNKNOWN, PASSES, PASSES_NOT } *known = xcalloc(p->frames.len + 1, sizeof(*known));
	bool *inside = xcalloc(t->stacks_nr + 1, sizeof(*inside));
	uint64_t sum = 0;
	for (uint32_t s = 0; s < t->stacks_nr; s++) {
		stack_id stack = stack_of(t, s);
		if (stack == PROFILE_NONE)
			continue;
		const struct profile_stack *st = &p->stacks.data[stack];
		uint32_t caller = t->parts.len ? t->parts.data[s].caller : st->caller;
		inside[s] = caller != PROFILE_NONE && inside[caller];
		if (inside[s] || !t->stacks[s].value)
			continue;
		if (known[st->frame] == UNKNOWN)
			known[st->frame] = passes(ctx, st->frame) ? PASSES : PASSES_NOT;
		inside[s] = known[st->frame] == PASSES;
		sum += inside[s] ? t->stacks[s].value : 0;
	}
	free(inside);
	free(known);
	return sum;
}
