/*
 * Joins the record stream with machine and symbols, and fills a profile.
 *
 * Two ways in: resolve_stream() gives every record in time order, samples resolved (script); resolve_aggregate() reads a
 * whole source into a profile: where it is a mapped file, a serial walk over record headers applies the side-band records,
 * then slices of samples are counted by (space, raw callchain, labels) on several threads, and only distinct stacks are
 * resolved; else the same counting takes the records in time order. Both count the same, and the ids that come out do not
 * depend on the number of threads. No malloc per sample.
 *
 * A recording whose records carry no times is taken in the order of its records. A resolver belongs to one thread; the
 * threads it starts are over when its functions return.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "machine/machine.h"
#include "profile/profile.h"
#include "profile/time_counts.h"
#include "record/source.h"
#include "resolve/switches.h"
#include "symbol/symbol.h"

/* One frame of a resolved sample, innermost first. Borrowed until the callback returns. */
struct resolved_frame {
	uint64_t ip;                /* absolute */
	uint64_t addr;              /* in the DSO's space */
	const struct map *map;      /* or NULL */
	struct dso *dso;            /* or NULL */
	const struct symbol *symbol; /* or NULL */
	uint16_t cpumode;
	bool inlined;
	bool is_call;               /* ip is where a call returns to: lines and inlined functions are those of the call */
	uint32_t number;            /* of the frame cache: frames of one number that are not inlined are the same */
	uint32_t key;               /* the frame cache's own: what ip was looked up in */
	uint32_t line;
	const char *file;           /* source, or NULL */
};

struct resolved_sample {
	struct record record;
	struct sample sample;
	const struct env_event *event;
	const struct thread *thread;
	const char *comm;
	struct resolved_frame leaf;  /* of sample.ip */
	const struct resolved_frame *chain; /* markers removed; NULL where the event has no callchain */
	uint32_t chain_nr;
	/* Samples with equal callchain words and equal chain_space have the same frames. */
	uint64_t chain_space;
	/* sample.callchain is what frames were made of; this is what the record holds, where branches were joined to it. */
	const uint64_t *recorded_callchain;
	uint64_t recorded_callchain_nr;
	uint64_t recorded_period; /* the same of sample.period, where the event reads the counters of its group */
	bool repeated;            /* its record was given before, for another member of the group */
};

/* Conditions a sample must meet to be seen at all; NULL or 0 means any. */
struct resolve_filter {
	const uint32_t *cpus; uint32_t cpus_nr;
	const uint32_t *pids; uint32_t pids_nr;
	const uint32_t *tids; uint32_t tids_nr;
	const char *const *comms; uint32_t comms_nr;
	const struct time_range *times; uint32_t times_nr;
};

/* Without any range all times are let through. */
bool time_ranges_have(const struct time_range *ranges, uint32_t nr, uint64_t time_ns);

struct resolve_options {
	struct resolve_filter filter;
	const char *const *label_keys; /* columns of profile/columns.def to keep as labels: "comm", "pid", "cpu" … */
	uint32_t label_keys_nr;
	bool with_chains;      /* keep whole stacks; else only the leaf frame */
	uint32_t max_stack;    /* frames kept, 0 = all that were recorded */
	bool keep_outermost;   /* of more, keep those farthest from the sample: what perf does, callers first */
	bool hide_unresolved;
	bool hide_scripts;     /* profiles have the native frames of interpreters alone */
	bool branch_mode;      /* one row for each branch entry (report -b, or files with branch stacks) */
	bool stitch_calls;     /* call stacks of the branch hardware go on in those of samples before (--stitch-lbr) */
	bool branch_history;   /* the branches before a sample precede its stack (report --branch-history) */
	bool mem_mode;         /* a sample's value is its weight, 1 where it has none (report --mem-mode) */
	bool with_inlines;     /* frames of inlined functions, from debug information */
	bool with_lines;       /* source file and line of frames; requires by_address */
	/* Of an address with inlined functions, the line is that of the innermost: what --sort srcline groups by. */
	bool innermost_lines;
	bool by_address;       /* frames are distinguished by address and not only by function */
	uint64_t time_quantum_ns; /* the "time" label is rounded down to a multiple of this; 0 = exact */
	struct event_switches switches; /* events between which samples count; of profiles, resolve_stream() leaves none out */
	bool raw_trace;        /* the "trace" label lists the fields in place of the event's text */
	bool program_first;    /* the first mapping is the program with the most samples, also where it has no frame itself */
	bool waits_as_frames;  /* what waits is a frame called "[sleeping: futex]"; requires the labels "state" and "reason" */
	bool keep_time_log;    /* profile->log: time, CPU, thread and row of each sample */
	uint64_t time_log_max; /* its bound, 0 = 4 million samples; the rest is counted in log_dropped */
	unsigned threads;      /* 0 = all CPUs */
	struct progress *progress;
};

struct resolver;

/* source is borrowed, must outlive the resolver, and is read from its start. Strings of the options are copied. */
struct resolver *resolver_create(struct record_source *source, struct symbols_options symbols, struct resolve_options options);
void resolver_destroy(struct resolver *r);
struct machine *resolver_machine(struct resolver *r);
struct symbols *resolver_symbols(struct resolver *r);

/*
 * True where a label of this name can be extracted from samples. "trace:NAME" is a tracepoint's field as the event's text
 * shows it (NAME=…), "trace:NAME/raw" is the field alone.
 */
bool resolve_key_known(const char *name);
/* Whether some event's samples bring a call stack that the branch hardware took (--call-graph lbr). */
bool resolve_has_calls(const struct env *env);

/* Only counts the records and applies them to the machine: for --stats, --tasks and --mmaps. No sample is resolved. */
struct strobe_error *resolve_count(struct resolver *r) _must_check_;
/* Reads the source to its end and returns the profile, owned by the caller. On error *ret still holds what was whole. */
struct strobe_error *resolve_aggregate(struct resolver *r, struct profile **ret) _must_check_;

/* The i-th jitdump that was met, in the order they were; false where there are no more. After the source was read. */
struct jitdump;
struct resolved_jit {
	const struct mapped_file *file;
	uint32_t pid;
	uint64_t time_ns;           /* when it was mapped */
	const struct jitdump *dump; /* or NULL: it cannot be read */
};
bool resolver_jit(struct resolver *r, size_t i, struct resolved_jit *ret);
/* The time of a compiler's clock in that of the recording, for a dump that was mapped at mapped_ns. */
uint64_t jit_time(const struct env *env, const struct jitdump *d, uint64_t mapped_ns, uint64_t time);

/*
 * The sample way: every record of the source in time order; side-band records are applied, samples that pass the filter
 * are resolved and given to sample(), other records to record() (NULL: they are skipped). A callback returns ERROR_STOPPED to end.
 */
struct resolve_callbacks {
	struct strobe_error *(*sample)(void *ctx, const struct resolved_sample *s);
	struct strobe_error *(*record)(void *ctx, struct record r, uint64_t time_ns);
	/*
	 * Called before the filter, and before frames are looked up: *ret_keep false leaves the sample out. Once for a record, whatever
	 * members of its group it is for. NULL: all are kept.
	 */
	struct strobe_error *(*early)(void *ctx, const struct resolved_sample *s, bool *ret_keep);
	/*
	 * Called before frames are looked up: true means that the receiver knows this stack from an earlier sample, and leaf and
	 * chain stay empty. NULL = all are resolved. Not called with hide_unresolved.
	 */
	bool (*knows_stack)(void *ctx, const struct resolved_sample *s);
	/*
	 * Called next, for samples with a chain: true means that the receiver knows the frames of the last *ret_words of
	 * sample.callchain, which may be none, from an earlier sample. chain then has the others, and leaf stays empty. NULL: never.
	 */
	bool (*known_callers)(void *ctx, const struct resolved_sample *s, uint64_t *ret_words);
	void *ctx;
};
struct strobe_error *resolve_stream(struct resolver *r, struct resolve_callbacks callbacks) _must_check_;

/*
 * The same record by record, for callers that do other things in between. resolve_cursor_next() takes the next record, gives it to its
 * callback, whose error it returns, and says how many bytes the record has. A resolver serves one cursor, stream or aggregate at a time.
 */
struct resolve_cursor;
struct strobe_error *resolve_cursor_open(struct resolver *r, struct resolve_callbacks callbacks, struct resolve_cursor **ret) _must_check_;
struct strobe_error *resolve_cursor_next(struct resolve_cursor *c, uint32_t *ret_bytes, bool *ret_end) _must_check_;
void resolve_cursor_close(struct resolve_cursor *c);

/*
 * In a callback of a stream or cursor: resolves a sample that is not a record of the source, such as the content of a RECORD_TIMED,
 * as of the current record, whose time it must have. Its event is ignored: with registers and stack it is unwound, and its call
 * chain is resolved. *ret is as for callbacks, without record and event, and borrowed as theirs.
 */
void resolver_look_up(struct resolver *r, const struct sample *sample, struct resolved_sample *ret);
/*
 * Any address of the sample's thread, at its time, as one frame without inlined functions; map NULL: nothing is mapped there.
 * In the sample's CPU mode or in the other one: branches lead into the kernel and out of it, and it touches memory of programs.
 */
struct resolved_frame resolve_sample_address(struct machine *machine, struct symbols *symbols, const struct resolved_sample *s,
					     uint64_t ip);

/* What became of the stack dumps that were unwound. */
struct resolve_dump_stats {
	uint64_t stacks;    /* all of them */
	uint64_t whole;     /* to the outermost frame */
	uint64_t cut;       /* the dump ended before the stack */
	uint64_t continued; /* along the kernel's frame-pointer chain */
	uint64_t switched;  /* the handler of a signal ran on an alternate stack, which is all that was dumped */
	uint64_t broken;    /* by code without tables, or by damage */
	uint64_t limited;   /* as deep as the limit */
	uint64_t dump_bytes;   /* the largest that was requested */
	uint64_t needed_bytes; /* a dump of this size would have held all that were cut; at least, where that is not known */
	bool needed_is_known;
};

/* Counts over all records seen, for --stats and the loss remarks: index is the record type. */
struct resolve_stats {
	uint64_t records[RECORD_TYPE_LIMIT];
	uint64_t unknown_records;
	uint64_t lost_records, lost_samples; /* sums of LOST.lost and LOST_SAMPLES.lost */
	uint64_t unknown_id_samples, bad_samples;
	uint64_t short_records;      /* without samples: the kernel writes none of this type so short */
	struct {
		uint64_t file_offset;
		uint32_t type, bytes;
	} first_short;
	uint64_t filtered_samples;   /* of what resolve_filter and the switches left out */
	uint64_t unresolved_samples; /* left out by hide_unresolved */
	uint64_t late_records;       /* of resolve_stream: too late to be put in order */
	uint64_t misdated_records;   /* of resolve_stream: order_misdated() */
	uint64_t first_ns, last_ns;  /* of samples */
	uint64_t cut_chains;         /* samples whose chain is not whole, as their recorder says */
	uint64_t deep_chains;        /* of these, those that have as many addresses as are walked */
	struct resolve_dump_stats dumps;
	struct resolve_times {
		uint64_t walk_ns;   /* over record headers, and what is not a sample */
		uint64_t sample_ns; /* reading samples, unwinding their stack dumps */
		uint64_t name_ns;   /* looking addresses up: functions, inlined frames, lines */
		uint64_t join_ns;   /* one profile of what the threads found */
	} times; /* of resolve_aggregate() of what is mapped; by the clock on the wall */
	const struct resolve_event_stats {
		uint64_t samples;      /* all of them, filtered or not */
		uint64_t lost_samples; /* LOST_SAMPLES of this event */
	} *events;                   /* by index in env->events */
	uint32_t events_nr;
};
/* From now on frames are distinguished by address (resolve_options.by_address): of a live profile, once code is shown. */
void resolver_use_addresses(struct resolver *r);
const struct resolve_stats *resolver_stats(const struct resolver *r);
