/*
 * The samples of a recording as text, one by one:
 *
 *	dump_cursor_open(resolver, env, &options, &c);
 *	do
 *		dump_cursor_next(c, out, &step);
 *	while (step.kind != DUMP_CURSOR_END);
 *	dump_cursor_close(c);
 *
 * A call reads one record of the source, so that the caller can do other work in between, and stop at any record. One thread.
 */
#pragma once
#include "base/out.h"
#include "dump/choice.h"
#include "dump/dumper.h"

struct dump_cursor_options {
	struct dump_options dump; /* show_chains: if the recording has any; the cursor checks its fields */
	struct dump_choice choice;
};

struct dump_cursor_step {
	enum { DUMP_CURSOR_RECORD, DUMP_CURSOR_SAMPLE, DUMP_CURSOR_END } kind; /* RECORD: nothing was printed */
	uint32_t bytes; /* of the record */
	/* Of a sample. */
	uint64_t time_ns;
	uint32_t cpu;
	bool has_time, has_cpu;
};

struct dump_cursor;

/* The resolver is borrowed, and must have the settings that the options need (with_chains, with_lines). The source is read from its
 * start. */
struct strobe_error *dump_cursor_open(struct resolver *r, const struct env *env, const struct dump_cursor_options *options,
				      struct dump_cursor **ret) _must_check_;
/* After an error there are no more samples; the output so far is complete. */
struct strobe_error *dump_cursor_next(struct dump_cursor *c, struct out *out, struct dump_cursor_step *ret) _must_check_;
void dump_cursor_close(struct dump_cursor *c);
