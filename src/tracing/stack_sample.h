/*
 * Converts a stack copied by the BPF programs of trace to parts of a sample: call chain, registers and dump, which the resolver
 * handles like those of ordinary samples. One thread.
 */
#pragma once
#include "bpf/trace/trace_shared.h"
#include "record/sample.h"

struct trace_stack_words {
	uint64_t chain[2 * TRACE_STACK_FRAMES + 2], regs[64];
};

/*
 * Sets them in *x, which then points into words and into the stack. The stack with its data has `bytes`; kind and dump_bytes are
 * the settings of the programs. *x is unchanged if the sizes in the stack are inconsistent.
 */
void trace_stack_sample(const struct trace_stack *stack, size_t bytes, enum trace_stacks kind, uint32_t dump_bytes,
			struct trace_stack_words *words, struct sample *x);
