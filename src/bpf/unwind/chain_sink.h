/*
 * Stacks written by a BPF program, with their samples or before them → ordinary samples with call chains.
 *
 * A filter between rings and a file: records that carry stacks are removed, their frames are added to samples after the kernel's part
 * of the chain, samples that arrived with their stack get the ID of their event, all other records pass. Stacks and samples of a CPU
 * are matched by their order in its ring, which must therefore always be drained by the same thread; the sinks of several threads
 * share one stack_unwinder.
 * A sample whose chain is not whole carries RECORD_MISC_CHAIN_CUT.
 *
 * Who reads rings does not wait while tables are made: from the first stack on whose walk needs one that is not there yet, records are
 * held, in their order and up to a limit, and then given in slices, between which rings are read. No FINISHED_ROUND may be written
 * until all are given.
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
	uint64_t last_id; /* of the record before: most records of a ring have the same event */
	const struct stack_stream *last_stream;
	struct stack_unwinder_totals counts; /* of one write; then added to the totals */
	byte_list held;                      /* records */
	size_t held_taken;                   /* bytes of them that were given already */
	const struct mapped_file *lacks;     /* whose table the first of the others needs; NULL: they may be given */
	bool waits;                          /* for tables */
};

/* `to` may be changed between two writes. */
void chain_sink_init(struct chain_sink *s, struct stack_unwinder *u, struct record_sink *to);
void chain_sink_deinit(struct chain_sink *s);
/* Gives held records whose tables are there by now, a few ms' work at most; waits: all. Nothing to do for a zeroed sink. */
struct strobe_error *chain_sink_settle(struct chain_sink *s, bool waits) _must_check_;
bool chain_sink_holds(const struct chain_sink *s);
