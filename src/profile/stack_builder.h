/*
 * Makes the stacks of many paths at once by sorting, which is faster than interning one at a time with a look-up in a large table at each
 * step.
 *
 * A path is a list of steps, outermost first; a step is a run of frames, outermost first, of which the first is not inlined
 * and the others are (what formats call a location). Paths with a common beginning share stacks, which are in preorder in
 * the profile, callers first. Belongs to one thread.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"
#include "profile/profile.h"

struct stack_step {
	uint32_t first, nr; /* in the frames that stack_builder_init() was given; at least 1 */
};

struct stack_builder {
	struct profile *p; /* has no stacks yet */
	const frame_id *frames;
	const struct stack_step *steps;
	uint32_t *ranks;           /* by step: equal runs have equal ranks, runs with a common beginning have adjacent ranks */
	uint32_t *step_of_rank;
	bool are_single;           /* each step is one frame, and its rank that frame's number */
	VEC(uint32_t) path_steps;  /* ranks */
	VEC(uint64_t) path_starts; /* in path_steps */
};

/* frames and steps are borrowed. */
void stack_builder_init(struct stack_builder *b, struct profile *p, const frame_id *frames, const struct stack_step *steps,
			uint32_t steps_nr);
void stack_builder_deinit(struct stack_builder *b);

static inline void stack_builder_step(struct stack_builder *b, uint32_t step)
{
	vec_push(&b->path_steps, b->ranks[step]);
}

/* Ends a path; they are numbered from 0. */
static inline void stack_builder_end(struct stack_builder *b)
{
	vec_push(&b->path_starts, b->path_steps.len);
}

/* The stack of each path, or PROFILE_NONE for an empty one. ERROR_LIMIT if there would be more than most_stacks. */
struct strobe_error *stack_builder_finish(struct stack_builder *b, uint64_t most_stacks, stack_id *ret_stacks) _must_check_;
