/* Stacks written by hand as bpf/trace/trace_shared.h lays them out. */
#include "tracing/stack_sample.h"

#include <linux/perf_event.h>
#ifdef __x86_64__
#include <asm/perf_regs.h>
#include <sys/user.h>
#endif

#include "base/testing.h"

struct made_stack {
	struct trace_stack head;
	uint64_t words[8];
};

static struct sample sample_of(const struct made_stack *s, size_t bytes, enum trace_stacks kind, uint32_t dump_bytes,
			       struct trace_stack_words *words)
{
	struct sample x = { .tid = 7 };
	trace_stack_sample(&s->head, bytes, kind, dump_bytes, words, &x);
	return x;
}

static void addresses_have_their_contexts(void **state)
{
	struct made_stack s = { .head = { .kernel_bytes = 16, .user_bytes = 24 }, .words = { 1, 2, 11, 12, 13 } };
	struct trace_stack_words words;
	struct sample x = sample_of(&s, sizeof(s), TRACE_STACKS_FP, 0, &words);
	const uint64_t expected[] = { PERF_CONTEXT_KERNEL, 1, 2, PERF_CONTEXT_USER, 11, 12, 13 };
	assert_int_equal(x.callchain_nr, 7);
	assert_memory_equal(x.callchain, expected, sizeof(expected));
	assert_int_equal(x.stack_bytes, 0);
	assert_int_equal(x.tid, 7);
	s.head.kernel_bytes = 0; /* no context without addresses: the first three words are the program's */
	x = sample_of(&s, sizeof(s), TRACE_STACKS_FP, 0, &words);
	const uint64_t user[] = { PERF_CONTEXT_USER, 1, 2, 11 };
	assert_int_equal(x.callchain_nr, 4);
	assert_memory_equal(x.callchain, user, sizeof(user));
}

static void dumps_have_registers(void **state)
{
	struct made_stack s = { .head = { .kernel_bytes = 8, .user_bytes = 20 }, .words = { 1, 21, 22, 23 } };
	struct trace_stack_words words;
	for (unsigned i = 0; i < TRACE_STACK_REGS; i++)
		s.head.regs[i] = 1000 + i;
	struct sample x = sample_of(&s, sizeof(s), TRACE_STACKS_DUMP, 20, &words);
	assert_int_equal(x.callchain_nr, 2);
	assert_int_equal(x.callchain[1], 1);
	assert_ptr_equal(x.stack, &s.words[1]);
	assert_int_equal(x.stack_dyn_bytes, 16); /* whole words of 20 bytes */
	assert_int_equal(x.stack_bytes, 16);     /* as many as were requested: it may go on */
	x = sample_of(&s, sizeof(s), TRACE_STACKS_DUMP, 8192, &words);
	assert_int_equal(x.stack_dyn_bytes, 16);
	assert_true(x.stack_bytes > 16); /* the stack ended */
	assert_int_equal(x.user_regs.abi, PERF_SAMPLE_REGS_ABI_64);
#ifdef __x86_64__
	/* Values are in the order of bits, four of which (DS, ES, FS, GS) are missing before R8. */
	assert_int_equal(x.user_regs.values[PERF_REG_X86_SP], 1000 + offsetof(struct user_regs_struct, rsp) / 8);
	assert_int_equal(x.user_regs.values[PERF_REG_X86_IP], 1000 + offsetof(struct user_regs_struct, rip) / 8);
	assert_int_equal(x.user_regs.values[PERF_REG_X86_R15 - 4], 1000 + offsetof(struct user_regs_struct, r15) / 8);
#endif
}

static void sizes_that_do_not_fit_are_left_out(void **state)
{
	struct made_stack s = { .head = { .kernel_bytes = 32, .user_bytes = 40 } };
	struct trace_stack_words words;
	assert_int_equal(sample_of(&s, sizeof(s), TRACE_STACKS_FP, 0, &words).callchain_nr, 0); /* 72 bytes of 64 */
	s.head.user_bytes = 32;
	assert_int_equal(sample_of(&s, sizeof(s), TRACE_STACKS_FP, 0, &words).callchain_nr, 10);
	assert_int_equal(sample_of(&s, sizeof(s) - 1, TRACE_STACKS_FP, 0, &words).callchain_nr, 0);
	assert_int_equal(sample_of(&s, sizeof(s.head) - 1, TRACE_STACKS_FP, 0, &words).callchain_nr, 0);
	s.head.user_bytes = UINT32_MAX;
	assert_int_equal(sample_of(&s, sizeof(s), TRACE_STACKS_FP, 0, &words).callchain_nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_their_contexts),
		cmocka_unit_test(dumps_have_registers),
		cmocka_unit_test(sizes_that_do_not_fit_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
