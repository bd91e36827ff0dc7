/*
 * A resolved sample, or a side-band record, as a line of script's output.
 *
 * One dumper per run, one thread at a time. Texts of frames are cached: a repeated address costs a look-up and a copy.
 * Everything is written to the caller's out; names from the recording are escaped.
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
	bool show_chains;           /* unless -G, if some event has them */
	bool kernel_path;           /* --show-kernel-path */
	bool full_source_path;
	const char *const *stop_at; /* --stop-bt: symbols at which stacks end */
	uint32_t stop_at_nr;
	uint64_t max_blocks;        /* --max-blocks: of brstackinsn; 0 = all */
};

struct dumper;

/*
 * env, machine, symbols and the strings of options are borrowed. Tracepoint formats are read from env when first needed.
 * ERROR_UNSUPPORTED if a field needs decoded instructions, and no disassembler is installed.
 */
struct strobe_error *dumper_create(const struct env *env, struct machine *machine, struct symbols *symbols,
				   struct dump_options options, struct dumper **ret) _must_check_;
void dumper_destroy(struct dumper *d);

void dumper_sample(struct dumper *d, struct out *out, const struct resolved_sample *s);
/*
 * True if the text of this sample's stack is cached, or no frame is printed: its frames need not be looked up, and dumper_sample() must
 * be called for it next. For resolve_callbacks.knows_stack.
 */
bool dumper_knows_stack(struct dumper *d, const struct resolved_sample *s);
/*
 * The number of outermost words that this sample's stack shares with the last one printed, whose text is cached; called after
 * dumper_knows_stack(). False: all frames are needed. For resolve_callbacks.known_callers.
 */
bool dumper_known_callers(struct dumper *d, const struct resolved_sample *s, uint64_t *ret_words);
/*
 * A side-band record in the form of --show-task-events and similar options: the columns of a sample, then the record. pid and
 * tid are those of its task.
 */
void dumper_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns);

/*
 * ID_INDEX: the guests of event IDs, for the fields machine_pid and vcpu. Call it with those before the samples.
 */
void dumper_note_ids(struct dumper *d, struct record r);

/* Whether some event's samples have a call chain. */
bool dumper_has_chains(const struct env *env);
/* Whether the recording relates its clock to wall-clock time: for -F tod. */
bool dumper_has_wall_clock(const struct env *env);
