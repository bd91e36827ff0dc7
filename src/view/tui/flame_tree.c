#include "view/tui/flame_tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* Callers have lower IDs than their callees, so that one backward pass adds up values and lists callees. */
void flame_tree_init(struct flame_tree *t, const struct profile *p, uint32_t event)
{
	struct flame_node root = { .parent = PROFILE_NONE, .first = PROFILE_NONE, .next = PROFILE_NONE, .frame = PROFILE_NONE };
	size_t n = p->stacks.len;
	*t = (struct flame_tree){
		.profile = p,
		.stacks = xcalloc(n + 1, sizeof(*t->stacks)),
		.same = xmalloc((n + 1) * sizeof(*t->same)),
	};
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event && p->rows.data[i].stack != PROFILE_NONE)
			t->stacks[p->rows.data[i].stack].value += p->rows.data[i].value;
	for (stack_id s = (stack_id)n; s-- > 0;) {
		struct flame_stack *st = &t->stacks[s];
		stack_id caller = p->stacks.data[s].caller;
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

static void add_stack(struct flame_tree *t, uint32_t parent, stack_id stack)
{
	frame_id frame = t->profile->stacks.data[stack].frame;
	struct flame_node n = { .parent = parent, .first = PROFILE_NONE, .next = t->nodes.data[parent].first, .frame = frame,
				.name = name_of(t->profile, frame) };
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
	const struct profile_frame *f = &p->frames.data[t->nodes.data[node].frame];
	return f->function == PROFILE_NONE ? hash_u64(f->ip) : hash_str(profile_str(p, p->functions.data[f->function].name));
}

uint64_t flame_tree_sum(const struct flame_tree *t, bool (*passes)(void *ctx, frame_id frame), void *ctx)
{
	const struct profile *p = t->profile;
	enum { UNKNOWN, PASSES, PASSES_NOT } *known = xcalloc(p->frames.len + 1, sizeof(*known));
	bool *inside = xcalloc(p->stacks.len + 1, sizeof(*inside));
	uint64_t sum = 0;
	for (stack_id s = 0; s < p->stacks.len; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		inside[s] = st->caller != PROFILE_NONE && inside[st->caller];
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
