#include "tracing/stack_sample.h"

#include <linux/perf_event.h>
#include <string.h>

#include "arch/arch.h"

static void add_addresses(struct trace_stack_words *words, struct sample *x, uint64_t context, const uint8_t *from, uint32_t bytes)
{
	uint32_t n = bytes / sizeof(uint64_t);
	if (!n)
		return;
	words->chain[x->callchain_nr++] = context;
	memcpy(words->chain + x->callchain_nr, from, n * sizeof(uint64_t));
	x->callchain_nr += n;
}

static void add_dump(const struct trace_stack *stack, const uint8_t *data, uint32_t dump_bytes, struct trace_stack_words *words,
		     struct sample *x)
{
	const struct arch *a = arch_native();
	unsigned n = 0;
	for (unsigned bit = 0; bit < 64; bit++)
		if (a->task_regs >> bit & 1)
			words->regs[n++] = stack->regs[a->ptrace_regs ? a->ptrace_regs[bit] : bit];
	x->user_regs = (struct sample_regs){ .abi = PERF_SAMPLE_REGS_ABI_64, .mask = a->task_regs, .values = words->regs };
	x->stack = data;
	x->stack_bytes = x->stack_dyn_bytes = stack->user_bytes & ~7U;
	/* Less than requested: the stack ends there. */
	if (stack->user_bytes < dump_bytes)
		x->stack_bytes += 8;
}

void trace_stack_sample(const struct trace_stack *stack, size_t bytes, enum trace_stacks kind, uint32_t dump_bytes,
			struct trace_stack_words *words, struct sample *x)
{
	const uint8_t *data = (const uint8_t *)(stack + 1);
	if (bytes < sizeof(*stack) || (uint64_t)stack->kernel_bytes + stack->user_bytes > bytes - sizeof(*stack) ||
	    stack->kernel_bytes > TRACE_STACK_FRAMES * 8)
		return;
	x->callchain = words->chain;
	x->callchain_nr = 0;
	add_addresses(words, x, PERF_CONTEXT_KERNEL, data, stack->kernel_bytes);
	if (kind == TRACE_STACKS_FP && stack->user_bytes <= TRACE_STACK_FRAMES * 8)
		add_addresses(words, x, PERF_CONTEXT_USER, data + stack->kernel_bytes, stack->user_bytes);
	else if (kind == TRACE_STACKS_DUMP)
		add_dump(stack, data + stack->kernel_bytes, dump_bytes, words, x);
}
