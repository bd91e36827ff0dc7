/*
 * A stack that the BPF programs of trace have copied, as the parts of a sample: call chain, registers and dump, which the
 * resolver names and unwinds as those of the kernel's own samples. One thread.
 */
#pragma once
#include "bpf/trace/trace_shared.h"
#include "record/sample.h"

struct trace_stack_words {
	uint64_t chain[2 * TRACE_STACK_FRAMES + 2], regs[64];
};

/*
 * Sets them in *x, which points into words and into the stack from then on. The stack and what follows it have `bytes`; kind
 * and dump_bytes are what was requested of the programs. Leaves *x alone where the sizes in the stack do not fit.
 */
void trace_stack_sample(const struct trace_stack *stack, size_t bytes, enum trace_stacks kind, uint32_t dump_bytes,
			struct trace_stack_words *words, struct sample *x);
