#include "profile/stack_builder.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

#define INSERTION_MAX 24
#define AHEAD 8 /* paths are scattered in memory: prefetches the one to be read some steps later */

/* ---- ranks of steps ---- */

static int compare_steps(const void *a, const void *b, void *ctx)
{
	const struct stack_builder *builder = ctx;
	const struct stack_step *x = &builder->steps[*(const uint32_t *)a], *y = &builder->steps[*(const uint32_t *)b];
	for (uint32_t i = 0; i < x->nr && i < y->nr; i++) {
		frame_id f = builder->frames[x->first + i], g = builder->frames[y->first + i];
		if (f != g)
			return f < g ? -1 : 1;
	}
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Ranks steps of one frame by frame, without sorting; UINT32_MAX: impossible. */
static uint32_t largest_single(const struct stack_builder *b, uint32_t nr)
{
	uint32_t largest = 0;
	for (uint32_t i = 0; i < nr; i++) {
		if (b->steps[i].nr != 1)
			return UINT32_MAX;
		frame_id frame = b->frames[b->steps[i].first];
		largest = frame > largest ? frame : largest;
	}
	return largest;
}

static void rank_singles(struct stack_builder *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		b->ranks[i] = b->frames[b->steps[i].first];
		b->step_of_rank[b->ranks[i]] = i;
	}
}

static void rank_steps(struct stack_builder *b, uint32_t nr)
{
	uint32_t *order = b->step_of_rank, rank = 0;
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), compare_steps, b);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t step = order[i];
		if (i && compare_steps(&order[rank], &step, b))
			rank++;
		order[rank] = step;
		b->ranks[step] = rank;
	}
}

void stack_builder_init(struct stack_builder *b, struct profile *p, const frame_id *frames, const struct stack_step *steps,
			uint32_t steps_nr)
{
	*b = (struct stack_builder){ .p = p, .frames = frames, .steps = steps };
	b->ranks = xmalloc(((size_t)steps_nr + 1) * sizeof(uint32_t));
	uint32_t largest = largest_single(b, steps_nr);
	b->are_single = largest / 4 <= steps_nr;
	size_t ranks = b->are_single ? (size_t)largest + 1 : (size_t)steps_nr + 1;
	b->step_of_rank = xmalloc(ranks * sizeof(uint32_t));
	if (b->are_single)
		rank_singles(b, steps_nr);
	else
		rank_steps(b, steps_nr);
	vec_push(&b->path_starts, 0);
}

void stack_builder_deinit(struct stack_builder *b)
{
	free(b->ranks);
	free(b->step_of_rank);
	vec_deinit(&b->path_steps);
	vec_deinit(&b->path_starts);
}

/* ---- order of paths ---- */

/* A group of paths with equal first `depth` steps. */
struct group {
	uint32_t first, nr, depth;
	bool has_keys; /* of this depth */
};

struct sorter {
	const struct stack_builder *b;
	uint64_t *keys;          /* rank + 1 at the current depth (0: the path ends) << 32 | path */
	uint32_t *shared;        /* by place in the order: steps shared with the path before */
	VEC(struct group) groups;
};

/* Loads the keys; returns whether all are equal. */
static bool load_keys(struct sorter *s, struct group g)
{
	const uint64_t *starts = s->b->path_starts.data;
	const uint32_t *steps = s->b->path_steps.data;
	uint64_t *keys = s->keys + g.first, differ = 0;
	for (uint32_t i = 0; i < g.nr; i++) {
		uint32_t path = (uint32_t)keys[i];
		uint64_t at = starts[path] + g.depth;
		if (i + AHEAD < g.nr)
			__builtin_prefetch(&steps[starts[(uint32_t)keys[i + AHEAD]] + g.depth]);
		keys[i] = at < starts[path + 1] ? ((uint64_t)steps[at] + 1) << 32 | path : path;
		differ |= (keys[i] ^ keys[0]) >> 32;
	}
	return !differ;
}

static void push_group(struct sorter *s, uint32_t first, uint32_t nr, uint32_t depth, bool has_keys)
{
	struct group g = { first, nr, depth, has_keys };
	if (nr > 1)
		vec_push(&s->groups, g);
}

/* Few keys: sorts them, and makes a group for each. */
static void split_few(struct sorter *s, struct group g)
{
	uint64_t *keys = s->keys + g.first;
	for (uint32_t i = 1; i < g.nr; i++) {
		uint64_t key = keys[i];
		uint32_t at = i;
		for (; at && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
	for (uint32_t i = 0, end; i < g.nr; i = end) {
		end = i + 1;
		while (end < g.nr && keys[end] >> 32 == keys[i] >> 32)
			end++;
		if (i)
			s->shared[g.first + i] = g.depth;
		push_group(s, g.first + i, end - i, g.depth, false);
	}
}

/* Splits into three groups: smaller than a pivot, equal, and larger. The pivot is random, so that no file can provoke the worst case. */
static void split_many(struct sorter *s, struct group g)
{
	uint64_t *keys = s->keys + g.first;
	uint64_t pivot = keys[hash_u64((uint64_t)g.first << 32 | g.nr) % g.nr] >> 32;
	uint32_t less = 0, at = 0, more = g.nr;
	while (at < more) {
		uint64_t key = keys[at];
		if (key >> 32 < pivot) {
			keys[at++] = keys[less];
			keys[less++] = key;
		} else if (key >> 32 > pivot) {
			keys[at] = keys[--more];
			keys[more] = key;
		} else {
			at++;
		}
	}
	if (less)
		s->shared[g.first + less] = g.depth;
	if (more < g.nr)
		s->shared[g.first + more] = g.depth;
	push_group(s, g.first, less, g.depth, true);
	push_group(s, g.first + less, more - less, g.depth, false);
	push_group(s, g.first + more, g.nr - more, g.depth, true);
}

static void split(struct sorter *s, struct group g)
{
	const uint64_t *keys = s->keys + g.first;
	while (!g.has_keys && load_keys(s, g)) {
		if (!(keys[0] >> 32)) {
			/* all end here: they are equal */
			for (uint32_t i = 1; i < g.nr; i++)
				s->shared[g.first + i] = g.depth;
			return;
		}
		g.depth++;
	}
	if (g.nr <= INSERTION_MAX)
		split_few(s, g);
	else
		split_many(s, g);
}

static void sort_paths(struct sorter *s, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		s->keys[i] = i;
	push_group(s, 0, nr, 0, false);
	while (s->groups.len)
		split(s, s->groups.data[--s->groups.len]);
	vec_deinit(&s->groups);
}

/* ---- stacks ---- */

/* The last path: its stacks, and the index of each of its steps in them. */
struct trail {
	VEC(stack_id) stacks;
	VEC(uint32_t) step_starts;
};

static uint32_t path_length(const struct stack_builder *b, uint32_t path)
{
	return (uint32_t)(b->path_starts.data[path + 1] - b->path_starts.data[path]);
}

static void push_stack(struct profile *p, struct trail *t, frame_id frame)
{
	uint32_t depth = (uint32_t)t->stacks.len;
	struct profile_stack s = {
		.caller = depth ? t->stacks.data[depth - 1] : PROFILE_NONE,
		.frame = frame,
		.depth = depth + 1,
	};
	vec_push(&t->stacks, (stack_id)p->stacks.len);
	vec_push(&p->stacks, s);
}

/* Keeps the frames of the first differing step that are equal to those of the path before. */
static uint32_t shared_frames(const struct stack_builder *b, const struct trail *t, uint32_t at, uint32_t until,
			      const struct stack_step *step)
{
	uint32_t same = 0;
	while (same < step->nr && at + same < until &&
	       b->p->stacks.data[t->stacks.data[at + same]].frame == b->frames[step->first + same])
		same++;
	return same;
}

static stack_id make_path(struct stack_builder *b, struct trail *t, uint32_t path, uint32_t shared)
{
	const uint32_t *ranks = b->path_steps.data + b->path_starts.data[path];
	uint32_t nr = path_length(b, path), had = (uint32_t)t->step_starts.len;
	for (uint32_t i = shared; i < nr; i++) {
		const struct stack_step *step = &b->steps[b->step_of_rank[ranks[i]]];
		uint32_t same = 0;
		if (i == shared && i < had) {
			uint32_t at = t->step_starts.data[i];
			uint32_t until = i + 1 < had ? t->step_starts.data[i + 1] : (uint32_t)t->stacks.len;
			same = shared_frames(b, t, at, until, step);
			t->stacks.len = at + same;
			t->step_starts.len = i;
		}
		vec_push(&t->step_starts, (uint32_t)t->stacks.len - same);
		for (; same < step->nr; same++)
			push_stack(b->p, t, b->frames[step->first + same]);
	}
	return t->stacks.len ? vec_last(&t->stacks) : PROFILE_NONE;
}

static uint64_t count_stacks(const struct stack_builder *b, const struct sorter *s, uint32_t nr)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t path = (uint32_t)s->keys[i];
		const uint32_t *ranks = b->path_steps.data + b->path_starts.data[path];
		uint32_t n = path_length(b, path);
		if (b->are_single)
			sum += n - s->shared[i];
		for (uint32_t at = s->shared[i]; !b->are_single && at < n; at++)
			sum += b->steps[b->step_of_rank[ranks[at]]].nr;
	}
	return sum;
}

static void make_paths(struct stack_builder *b, const struct sorter *s, uint32_t nr, stack_id *ret_stacks)
{
	struct trail t = {};
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t path = (uint32_t)s->keys[i], shared = s->shared[i];
		bool is_equal = i && shared == path_length(b, path) && t.step_starts.len == shared;
		ret_stacks[path] = is_equal ? ret_stacks[(uint32_t)s->keys[i - 1]] : make_path(b, &t, path, shared);
	}
	vec_deinit(&t.stacks);
	vec_deinit(&t.step_starts);
}

struct strobe_error *stack_builder_finish(struct stack_builder *b, uint64_t most_stacks, stack_id *ret_stacks)
{
	struct strobe_error *err = NULL;
	size_t nr = b->path_starts.len - 1;
	if (nr >= UINT32_MAX)
		return error_create(ERROR_LIMIT, "it has %zu samples, more than can be numbered", nr);
	struct sorter s = {
		.b = b,
		.keys = xmalloc((nr + 1) * sizeof(*s.keys)),
		.shared = xcalloc(nr + 1, sizeof(*s.shared)),
	};
	sort_paths(&s, (uint32_t)nr);
	uint64_t stacks = count_stacks(b, &s, (uint32_t)nr);
	if (stacks > most_stacks || stacks >= UINT32_MAX) {
		err = error_create(ERROR_LIMIT, "it unfolds to %llu frames of stacks, which no profile of its size has",
				   (unsigned long long)stacks);
	} else {
		vec_reserve(&b->p->stacks, stacks);
		make_paths(b, &s, (uint32_t)nr, ret_stacks);
	}
	free(s.keys);
	free(s.shared);
	return err;
}
