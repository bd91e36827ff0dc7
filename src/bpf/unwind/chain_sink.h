/*
 * Stacks that a BPF program wrote, with their samples or before them → ordinary samples with call chains.
 *
 * A filter between rings and a file: records that carry stacks are taken out, samples get what the program found after
 * the kernel's part of their chain, those that came whole get the id of their event, all else passes. Stacks and samples of one CPU
 * meet in the order of its ring, so that each CPU's ring must always be drained by the same thread; the sinks of several threads share
 * one stack_unwinder.
 * A sample whose chain is not whole carries RECORD_MISC_CHAIN_CUT.
 */
#pragma once
#include "base/vector.h"
#include "bpf/unwind/stack_unwinder.h"
#include "record/source.h"

typedef VEC(uint8_t) byte_list;

struct stack_stream;

struct chain_sink {
	struct record_sink sink; /* what rings are drained to */
	struct stack_unwinder *unwinder;
	struct record_sink *to;
	byte_list out;
	uint64_t last_id; /* of the record before: those of a ring are mostly of the same events */
	const struct stack_stream *last_stream;
	struct stack_unwinder_totals counts; /* of one write, which are then added to those of all */
};

/* to may be changed later, between two writes. */
void chain_sink_init(struct chain_sink *s, struct stack_unwinder *u, struct record_sink *to);
void chain_sink_deinit(struct chain_sink *s);
