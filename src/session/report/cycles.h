/*
 * Blocks of code and the cycles that the processor spent in them, from the branch records of a recording.
 */
#pragma once
#include "report/blocks.h"
#include "session/report/report_session.h"
#include "table/listing.h"

/*
 * Reads the session's recording. Functions and objects of the blocks are struct symbol and struct mapped_file of its resolver, which must
 * live as long. The caller deinits b, also on errors.
 */
struct strobe_error *report_read_blocks(struct report_session *r, struct blocks *b) _must_check_;

/*
 * The same for the code of a report, by reading the recording again; NULL: no such records. They are added to finished listings of
 * mappings of r->profile.
 */
struct report_cycles;
struct strobe_error *report_count_cycles(struct report_session *r, struct report_cycles **ret) _must_check_;
void report_cycles_destroy(struct report_cycles *c);
/* Valid as long as c: its blocks in any order, and for a block the function's name, the object's, and the function's start. */
const struct blocks *report_cycles_blocks(const struct report_cycles *c);
struct block_names {
	const char *function, *object;
	uint64_t start;
};
struct block_names report_block_names(const struct report_cycles *c, const struct block *b);
void report_add_cycles(const struct report_cycles *c, const struct report_session *r, const struct report_part *part,
		       mapping_id mapping, struct listing *l);

/* A table per event: blocks by cycles, of all samples that pass the resolver's filter. */
struct out;
struct strobe_error *report_print_cycles(struct report_session *r, struct out *out) _must_check_;
