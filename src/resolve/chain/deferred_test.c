/* User chains that come in records of their own: noted, joined, and shown by aggregation and stream alike. */
#include "base/testing.h"

#include <stdlib.h>

#include "machine/record_builder.h"
#include "resolve/chain/chain.h"
#include "resolve/chain/deferred.h"
#include "sys/perf_abi.h"

static struct env *env_of(bool is_deferred)
{
	struct env *env = env_create();
	struct perf_event_attr attr = { .size = PERF_ABI_ATTR_BYTES, .sample_id_all = 1, .sample_period = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN };
	perf_abi_attr_set(&attr, PERF_ABI_ATTR_DEFER_CALLCHAIN, is_deferred);
	env_add_event(env, &attr, sizeof(attr), "cycles", NULL, 0);
	return env;
}

static struct record put(struct record_builder *b, uint32_t tid, uint64_t cookie, uint64_t nr, const uint64_t *ips, size_t n)
{
	b->with_trailer = true;
	b->trailer[0] = 5 | (uint64_t)tid << 32;
	b->trailer[1] = 100;
	build_start(b, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	build_u64(b, cookie);
	build_u64(b, nr);
	build_bytes(b, ips, 8 * n);
	return build_end(b);
}

static void chains_are_joined(void **state)
{
	struct record_builder b = {};
	struct deferred d = {};
	struct env *env = env_of(true);
	deferred_chain whole = {};
	assert_true(deferred_in(env));
	deferred_note(&d, env, put(&b, 6, 77, 3, (uint64_t[]){ PERF_CONTEXT_USER, 0x1000, 0x2000 }, 3));
	deferred_note(&d, env, put(&b, 7, 77, 2, (uint64_t[]){ PERF_CONTEXT_USER, 0x3000 }, 2));
	deferred_note(&d, env, put(&b, 6, 78, 1, (uint64_t[]){ 0x4000 }, 1));
	const uint64_t words[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, CHAIN_CONTEXT_USER_DEFERRED, 77 };
	static const uint64_t expected[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, 0x1000, 0x2000 };
	assert_true(deferred_join(&d, 6, words, 4, &whole));
	assert_int_equal(whole.len, 5);
	assert_memory_equal(whole.data, expected, sizeof(expected));
	/* The same cookie of another thread. */
	assert_true(deferred_join(&d, 7, words, 4, &whole));
	assert_int_equal(whole.len, 4);
	assert_int_equal(whole.data[3], 0x3000);
	/* Without the marker: it is put there. */
	assert_true(deferred_join(&d, 6, (uint64_t[]){ CHAIN_CONTEXT_USER_DEFERRED, 78 }, 2, &whole));
	assert_int_equal(whole.len, 2);
	assert_int_equal(whole.data[0], PERF_CONTEXT_USER);
	assert_int_equal(whole.data[1], 0x4000);
	/* No record came; no cookie; half a cookie. */
	assert_false(deferred_join(&d, 8, words, 4, &whole));
	assert_false(deferred_join(&d, 6, words, 2, &whole));
	assert_false(deferred_join(&d, 6, words, 3, &whole));
	vec_deinit(&whole);
	deferred_deinit(&d);
	env_destroy(env);
	vec_deinit(&b.bytes);
}

static void records_that_lie_are_left_out(void **state)
{
	struct record_builder b = {};
	struct deferred d = {};
	struct env *env = env_of(true), *plain = env_of(false);
	assert_false(deferred_in(plain));
	deferred_note(&d, env, put(&b, 6, 77, 400, (uint64_t[]){ PERF_CONTEXT_USER, 0x1000 }, 2));
	/* The trailer is none of it. */
	deferred_note(&d, env, put(&b, 6, 77, 3, (uint64_t[]){ PERF_CONTEXT_USER, 0x1000 }, 2));
	deferred_note(&d, env, put(&b, 6, 77, UINT64_MAX, (uint64_t[]){ PERF_CONTEXT_USER, 0x1000 }, 2));
	build_start(&b, RECORD_CALLCHAIN_DEFERRED, 0);
	b.with_trailer = false;
	deferred_note(&d, env, build_end(&b));
	assert_int_equal(d.words.len, 0);
	deferred_deinit(&d);
	env_destroy(env);
	env_destroy(plain);
	vec_deinit(&b.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_joined), cmocka_unit_test(records_that_lie_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
