/* Addresses in their contexts are numbered: in a table of raw frames, and in the cache of frames. */
#include "base/testing.h"

#include "machine/machine.h"
#include "record/env.h"
#include "resolve/rawtab.h"
#include "symbol/symbol.h"

#define ADDRESSES 3000

/* Those of libraries are near each other; the same address comes in several contexts. */
static uint64_t address_of(unsigned i)
{
	return 0x7f0000000000 + (i / 4) * 0x10;
}

static struct frame_where where_of(unsigned i)
{
	return (struct frame_where){ .space = i % 4 / 2, .cpumode = PERF_RECORD_MISC_USER, .call_site = i % 2 };
}

static void raw_frames_are_numbered_by_address_and_context(void **state)
{
	struct rawtab t;
	rawtab_init(&t, 0);
	for (int round = 0; round < 2; round++) {
		for (unsigned again = 0; again < 2; again++)
			for (unsigned i = 0; i < ADDRESSES; i++)
				assert_int_equal(rawtab_frame(&t, address_of(i), where_of(i), 1), i);
		struct frame_where kernel = where_of(1);
		kernel.cpumode = PERF_RECORD_MISC_KERNEL;
		assert_int_equal(rawtab_frame(&t, address_of(1), kernel, 1), ADDRESSES);
		assert_int_equal(rawtab_frame(&t, address_of(1), kernel, 1), ADDRESSES);
		rawtab_clear(&t);
	}
	rawtab_deinit(&t);
}

/* Frames of user addresses are of their space, those of the kernel of the state of its maps. */
static void frames_are_kept_by_address_and_context(void **state)
{
	struct env *env = env_create();
	struct machine *machine = machine_create(env);
	struct symbols *symbols = symbols_create(env, (struct symbols_options){});
	struct machine_view v = machine_view(machine, 1, 1, 1);
	const uint16_t modes[] = { PERF_RECORD_MISC_USER, PERF_RECORD_MISC_KERNEL };
	struct frame_cache c;
	frame_cache_init(&c, machine, symbols);
	for (unsigned again = 0; again < 2; again++)
		for (unsigned i = 0; i < ADDRESSES; i++)
			assert_int_equal(frame_cache_find(&c, v.space, v.kernel, modes[i % 4 / 2], i % 2, address_of(i)), i);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		assert_int_equal(c.frames.data[i].ip, address_of(i));
		assert_int_equal(c.frames.data[i].cpumode, modes[i % 4 / 2]);
	}
	frame_cache_deinit(&c);
	symbols_destroy(symbols);
	machine_destroy(machine);
	env_destroy(env);
}

/* Each frame that it is expanded to has a number of its own, and is found by that again. */
static void what_a_frame_is_expanded_to_is_kept(void **state)
{
	const struct resolve_options o = { .with_inlines = true };
	struct env *env = env_create();
	struct machine *machine = machine_create(env);
	struct symbols *symbols = symbols_create(env, (struct symbols_options){});
	struct machine_view v = machine_view(machine, 1, 1, 1);
	struct frame_cache c;
	uint32_t numbers[2];
	struct frame_run runs[2];
	frame_cache_init(&c, machine, symbols);
	for (unsigned i = 0; i < 2; i++)
		numbers[i] = frame_cache_find(&c, v.space, v.kernel, PERF_RECORD_MISC_USER, false, address_of(4 * i));
	for (unsigned i = 2; i--;) {
		runs[i] = frame_cache_expand(&c, numbers[i], &o);
		assert_int_equal(runs[i].nr, 1);
		assert_int_equal(c.frames.data[runs[i].first].ip, address_of(4 * i));
		assert_int_equal(c.frames.data[runs[i].first].number, runs[i].first);
	}
	assert_int_not_equal(runs[0].first, runs[1].first);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(frame_cache_expand(&c, numbers[i], &o).first, runs[i].first);
		assert_int_equal(frame_cache_find(&c, v.space, v.kernel, PERF_RECORD_MISC_USER, false, address_of(4 * i)), numbers[i]);
	}
	frame_cache_deinit(&c);
	symbols_destroy(symbols);
	machine_destroy(machine);
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_frames_are_numbered_by_address_and_context),
		cmocka_unit_test(frames_are_kept_by_address_and_context),
		cmocka_unit_test(what_a_frame_is_expanded_to_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
