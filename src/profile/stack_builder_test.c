/* Stacks made by sorting are those that interning makes, and are in the order of a walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "profile/stack_builder.h"

enum { FRAMES = 12, STEPS = 9, PATHS = 400 };

static void make_frames(struct profile *p, frame_id *frames)
{
	for (uint32_t i = 0; i < FRAMES; i++)
		frames[i] = profile_frame(p, &(struct profile_frame){ .mapping = PROFILE_NONE, .function = PROFILE_NONE, .addr = i,
								     .ip = i, .flags = i >= 8 ? FRAME_INLINED : 0 });
}

/* Frame by frame: the text of a stack as numbers. */
static uint64_t signature(const struct profile *p, stack_id s)
{
	uint64_t sum = 1;
	for (; s != PROFILE_NONE; s = p->stacks.data[s].caller)
		sum = sum * 1000003 + p->stacks.data[s].frame + 1;
	return sum;
}

static void check(bool has_inlines)
{
	struct profile *sorted = profile_create(), *interned = profile_create();
	frame_id frames[FRAMES], list[STEPS * 3], path[64];
	struct stack_step steps[STEPS];
	struct stack_builder b;
	uint32_t nr = 0, seed = 3;
	make_frames(sorted, frames);
	make_frames(interned, frames);
	/* steps 6 to 8 are steps 0 to 2 with something inlined, or the same again */
	for (uint32_t i = 0; i < STEPS; i++) {
		steps[i].first = nr;
		list[nr++] = frames[i % 6];
		if (has_inlines && i >= 6)
			list[nr++] = frames[8 + i % 2];
		if (has_inlines && i == 8)
			list[nr++] = frames[10];
		steps[i].nr = nr - steps[i].first;
	}
	stack_builder_init(&b, sorted, list, steps, STEPS);
	stack_id expected[PATHS], made[PATHS];
	for (uint32_t i = 0; i < PATHS; i++) {
		uint32_t depth = (seed = seed * 1103515245 + 12345) >> 16 & 7, n = 0;
		for (uint32_t d = 0; d < depth; d++) {
			uint32_t step = ((seed = seed * 1103515245 + 12345) >> 16) % STEPS;
			stack_builder_step(&b, step);
			for (uint32_t f = 0; f < steps[step].nr; f++)
				path[n++] = list[steps[step].first + f];
		}
		stack_builder_end(&b);
		expected[i] = PROFILE_NONE;
		for (uint32_t f = 0; f < n; f++)
			expected[i] = profile_stack(interned, expected[i], path[f]);
	}
	assert_null(stack_builder_finish(&b, 1 << 20, made));
	stack_builder_deinit(&b);
	assert_int_equal(sorted->stacks.len, interned->stacks.len);
	for (uint32_t i = 0; i < PATHS; i++) {
		assert_int_equal(signature(sorted, made[i]), signature(interned, expected[i]));
		for (uint32_t k = 0; k < i; k++)
			assert_int_equal(made[i] == made[k], expected[i] == expected[k]);
	}
	for (stack_id s = 0; s < sorted->stacks.len; s++) {
		stack_id caller = sorted->stacks.data[s].caller;
		assert_true(caller == PROFILE_NONE || caller < s);
		/* interning on finds what was appended */
		assert_int_equal(profile_stack(sorted, caller, sorted->stacks.data[s].frame), s);
	}
	profile_destroy(sorted);
	profile_destroy(interned);
}

static void test_single(void **state)
{
	check(false);
}

static void test_inlined(void **state)
{
	check(true);
}

static void test_limit(void **state)
{
	struct profile *p = profile_create();
	frame_id frames[FRAMES];
	struct stack_step step = { 0, 3 };
	struct stack_builder b;
	stack_id made;
	make_frames(p, frames);
	stack_builder_init(&b, p, frames, &step, 1);
	stack_builder_step(&b, 0);
	stack_builder_end(&b);
	struct strobe_error *err = stack_builder_finish(&b, 2, &made);
	assert_true(error_is(err, ERROR_LIMIT));
	error_destroy(err);
	stack_builder_deinit(&b);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_single), cmocka_unit_test(test_inlined),
					    cmocka_unit_test(test_limit) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
