/*
 * A resolved sample, or a side-band record, as a line of script's output.
 *
 * One dumper a run and one thread at a time. Texts of frames are kept: an address that comes again costs a look-up and a
 * copy. Everything is written to the caller's out; names from the recording are made harmless on the way.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "dump/fields.h"
#include "machine/machine.h"
#include "record/env.h"
#include "resolve/resolve.h"

struct dump_options {
	struct dump_fields fields;  /* checked: dump_fields_check() */
	bool nanoseconds;           /* --ns */
	bool relative_time;         /* --reltime: since the first sample */
	bool delta_time;            /* --deltatime: since the previous sample */
	bool latency_columns;       /* -L */
	bool show_chains;           /* not -G, and some event has them */
	bool kernel_path;           /* --show-kernel-path */
	bool full_source_path;
	const char *const *stop_at; /* --stop-bt: symbols at which a stack's text ends */
	uint32_t stop_at_nr;
	uint64_t max_blocks;        /* --max-blocks: of brstackinsn; 0 = all */
};

struct dumper;

/*
 * env, machine and symbols are borrowed; options' strings too. Tracepoint formats are read from env when first needed.
 * ERROR_UNSUPPORTED where a field needs instructions decoded, and no disassembler is installed.
 */
struct strobe_error *dumper_create(const struct env *env, struct machine *machine, struct symbols *symbols,
				   struct dump_options options, struct dumper **ret) _must_check_;
void dumper_destroy(struct dumper *d);

void dumper_sample(struct dumper *d, struct out *out, const struct resolved_sample *s);
/*
 * True where the text of this sample's stack is kept from an earlier one: its frames need not be looked up, and
 * dumper_sample() must be called for it next. For resolve_callbacks.knows_stack.
 */
bool dumper_knows_stack(struct dumper *d, const struct resolved_sample *s);
/*
 * How many of the outermost words of this sample's stack it has in common with the one that was printed last, so that their
 * text is kept; called after dumper_knows_stack(). False where all frames are needed. For resolve_callbacks.known_callers.
 */
bool dumper_known_callers(struct dumper *d, const struct resolved_sample *s, uint64_t *ret_words);
/*
 * A side-band record in the form of --show-task-events and its kin: the columns that a sample would have, then the record.
 * pid and tid are of the task it is about.
 */
void dumper_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns);

/*
 * ID_INDEX: which of the ids count in which guest, for the fields machine_pid and vcpu. To be called with those that come before
 * the samples.
 */
void dumper_note_ids(struct dumper *d, struct record r);

/* Whether some event's samples have a call chain. */
bool dumper_has_chains(const struct env *env);
/* Wall-clock time is only known where the recording says how its clock relates to it: for -F tod. */
bool dumper_has_wall_clock(const struct env *env);
