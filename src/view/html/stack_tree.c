#include "view/html/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

#define NOWHERE STACK_TREE_NOWHERE

bool stack_tree_has(const struct profile_row *row)
{
	return row->stack != PROFILE_NONE && (row->samples || row->value);
}

bool *stack_tree_used(const struct profile *p)
{
	bool *used = xcalloc(p->stacks.len + 1, sizeof(*used));
	for (size_t i = 0; i < p->rows.len; i++) {
		if (!stack_tree_has(&p->rows.data[i]))
			continue;
		for (stack_id s = p->rows.data[i].stack; s != PROFILE_NONE && !used[s]; s = p->stacks.data[s].caller)
			used[s] = true;
	}
	return used;
}

/* ---- children, siblings by rank ---- */

struct lists {
	const struct profile *p;
	const uint32_t *rank;
	uint32_t *first, *next; /* first callee of a stack, and its next sibling; first[p->stacks.len]: the outermost stacks */
};

static uint32_t rank_of(const struct lists *l, stack_id s)
{
	return l->rank[l->p->stacks.data[s].frame];
}

/* Prepends stacks to the lists of siblings in descending order of rank, so that no list has to be sorted. */
static void make_lists(struct lists *l, const bool *used, uint32_t ranks_nr)
{
	size_t n = l->p->stacks.len;
	uint32_t *at = xcalloc((size_t)ranks_nr + 2, sizeof(*at)), *sorted = xcalloc(n + 1, sizeof(*sorted));
	l->first = xcalloc(n + 1, sizeof(*l->first));
	l->next = xcalloc(n + 1, sizeof(*l->next));
	memset(l->first, 0xff, (n + 1) * sizeof(*l->first));
	for (stack_id s = 0; s < n; s++)
		if (used[s])
			at[rank_of(l, s) + 1]++;
	for (uint32_t r = 0; r < ranks_nr; r++)
		at[r + 1] += at[r];
	for (stack_id s = 0; s < n; s++)
		if (used[s])
			sorted[at[rank_of(l, s)]++] = s;
	/* each start has moved to the end of its rank */
	for (uint32_t i = ranks_nr ? at[ranks_nr - 1] : 0; i-- > 0;) {
		stack_id caller = l->p->stacks.data[sorted[i]].caller;
		uint32_t *head = &l->first[caller == PROFILE_NONE ? n : caller];
		l->next[sorted[i]] = *head;
		*head = sorted[i];
	}
	free(at);
	free(sorted);
}

/* Returns whether siblings share a rank anywhere. */
static bool walk(struct stack_tree *t, const struct lists *l)
{
	VEC(stack_id) path = {};
	bool shared = false;
	for (stack_id s = l->first[l->p->stacks.len]; s != NOWHERE;) {
		t->place[s] = t->nr;
		t->order[t->nr++] = s;
		shared |= l->next[s] != NOWHERE && rank_of(l, s) == rank_of(l, l->next[s]);
		vec_push(&path, s);
		stack_id next = l->first[s];
		while (next == NOWHERE && path.len) {
			next = l->next[vec_last(&path)];
			path.len--;
		}
		s = next;
	}
	vec_deinit(&path);
	return shared;
}

/* ---- boxes ---- */

struct members {
	VEC(stack_id) stacks;
	VEC(uint32_t) starts; /* of pending boxes, in stacks: the last is the next one */
	VEC(struct sort_pair) callees;
};

static void gather_callees(struct members *m, const struct lists *l, stack_id first)
{
	for (stack_id s = first; s != NOWHERE; s = l->next[s]) {
		struct sort_pair pair = { .key = rank_of(l, s), .value = s };
		vec_push(&m->callees, pair);
	}
}

/* Pushes the collected callees as pending boxes, the lowest rank on top. */
static void push_boxes(struct members *m)
{
	sort_pairs(m->callees.data, m->callees.len);
	for (size_t i = m->callees.len; i-- > 0;) {
		if (i + 1 == m->callees.len || m->callees.data[i].key != m->callees.data[i + 1].key)
			vec_push(&m->starts, (uint32_t)m->stacks.len);
		vec_push(&m->stacks, (stack_id)m->callees.data[i].value);
	}
	vec_clear(&m->callees);
}

static void make_boxes(struct stack_tree *t, const struct lists *l)
{
	struct members m = {};
	uint32_t nr = 0;
	t->box = xcalloc((size_t)t->nr + 1, sizeof(*t->box));
	gather_callees(&m, l, l->first[l->p->stacks.len]);
	push_boxes(&m);
	while (m.starts.len) {
		uint32_t start = vec_last(&m.starts);
		m.starts.len--;
		for (size_t i = start; i < m.stacks.len; i++) {
			t->box[t->place[m.stacks.data[i]]] = nr;
			gather_callees(&m, l, l->first[m.stacks.data[i]]);
		}
		nr++;
		m.stacks.len = start;
		push_boxes(&m);
	}
	vec_deinit(&m.stacks);
	vec_deinit(&m.starts);
	vec_deinit(&m.callees);
}

void stack_tree_make(struct stack_tree *t, const struct profile *p, const bool *used, const uint32_t *rank, uint32_t ranks_nr)
{
	size_t n = p->stacks.len;
	struct lists l = { .p = p, .rank = rank };
	*t = (struct stack_tree){
		.order = xcalloc(n + 1, sizeof(*t->order)),
		.place = xcalloc(n + 1, sizeof(*t->place)),
	};
	memset(t->place, 0xff, (n + 1) * sizeof(*t->place));
	make_lists(&l, used, ranks_nr);
	if (walk(t, &l))
		make_boxes(t, &l);
	free(l.first);
	free(l.next);
}

void stack_tree_deinit(struct stack_tree *t)
{
	free(t->order);
	free(t->place);
	free(t->box);
}
