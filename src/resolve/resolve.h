/*
 * Joins the record stream with machine and symbols, and fills a profile.
 *
 * Two interfaces: resolve_stream() delivers every record in order of time, with samples resolved (script);
 * resolve_aggregate() reads a whole source into a profile: for a mapped file, a serial walk over record headers applies
 * the side-band records, then slices of samples are counted by (space, raw callchain, labels) on several threads, and only
 * distinct stacks are resolved; otherwise records are counted in order of time. Both give the same counts, and IDs do not
 * depend on the number of threads. No malloc per sample.
 *
 * A recording without times is read in the order of its records. A resolver belongs to one thread; threads that it starts
 * have ended when its functions return.
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
	bool is_call;               /* ip is a return address: lines and inlined functions are those of the call */
	uint32_t number;            /* index in the frame cache: frames with the same index are equal */
	uint32_t key;               /* private to the frame cache: the context in which ip was looked up */
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
	const struct resolved_frame *chain; /* markers removed; NULL: the event has no callchain */
	uint32_t chain_nr;
	/* Samples with equal callchain words and equal chain_space have the same frames. */
	uint64_t chain_space;
	/* sample.callchain is the source of the frames; this is the chain in the record, if branches were joined to it. */
	const uint64_t *recorded_callchain;
	uint64_t recorded_callchain_nr;
	uint64_t recorded_period; /* likewise for sample.period, if the event reads the counters of its group */
	bool repeated;            /* its record was delivered before, for another member of the group */
};

/* Conditions for samples; NULL or 0 means any. */
struct resolve_filter {
	const uint32_t *cpus; uint32_t cpus_nr;
	const uint32_t *pids; uint32_t pids_nr;
	const uint32_t *tids; uint32_t tids_nr;
	const char *const *comms; uint32_t comms_nr;
	const struct time_range *times; uint32_t times_nr;
};

/* Without ranges all times pass. */
bool time_ranges_have(const struct time_range *ranges, uint32_t nr, uint64_t time_ns);

struct resolve_options {
	struct resolve_filter filter;
	const char *const *label_keys; /* columns of profile/columns.def to keep as labels: "comm", "pid", "cpu" … */
	uint32_t label_keys_nr;
	bool with_chains;      /* keep complete stacks; else only the leaf frame */
	uint32_t max_stack;    /* frames kept, 0 = all that were recorded */
	bool keep_outermost;   /* of more frames, keep the outermost: as perf does with callers first */
	bool hide_unresolved;
	bool hide_scripts;     /* profiles have only the native frames of interpreters */
	bool branch_mode;      /* one row for each branch entry (report -b, or files with branch stacks) */
	bool stitch_calls;     /* continue call stacks of the branch hardware with those of earlier samples (--stitch-lbr) */
	bool branch_history;   /* put the branches before a sample in front of its stack (report --branch-history) */
	bool mem_mode;         /* a sample's value is its weight, or 1 without one (report --mem-mode) */
	bool with_inlines;     /* frames of inlined functions, from debug information */
	bool with_lines;       /* source file and line of frames; requires by_address */
	/* At an address with inlined functions, use the line of the innermost, by which --sort srcline groups. */
	bool innermost_lines;
	bool by_address;       /* frames are distinguished by address and not only by function */
	uint64_t time_quantum_ns; /* the "time" label is rounded down to a multiple of this; 0 = exact */
	struct event_switches switches; /* events between which samples count in profiles; not applied by resolve_stream() */
	bool raw_trace;        /* the "trace" label has the fields in place of the event's text */
	bool program_first;    /* the first mapping is the program with the most samples, even if it has no frame itself */
	bool waits_as_frames;  /* waits become frames such as "[sleeping: futex]"; requires the labels "state" and "reason" */
	bool keep_time_log;    /* profile->log: time, CPU, thread and row of each sample */
	uint64_t time_log_max; /* its limit, 0 = 4 million samples; the rest is counted in log_dropped */
	unsigned threads;      /* 0 = all CPUs */
	struct progress *progress;
};

struct resolver;

/* source is borrowed, must outlive the resolver, and is read from the start. Strings of the options are copied. */
struct resolver *resolver_create(struct record_source *source, struct symbols_options symbols, struct resolve_options options);
void resolver_destroy(struct resolver *r);
struct machine *resolver_machine(struct resolver *r);
struct symbols *resolver_symbols(struct resolver *r);

/*
 * Whether samples have a label of this name. "trace:NAME" is a tracepoint's field as in the event's text (NAME=…),
 * "trace:NAME/raw" is the plain field.
 */
bool resolve_key_known(const char *name);
/* Whether samples of some event have a call stack from the branch hardware (--call-graph lbr). */
bool resolve_has_calls(const struct env *env);

/* Only counts the records and applies them to the machine, without resolving samples: for --stats, --tasks and --mmaps. */
struct strobe_error *resolve_count(struct resolver *r) _must_check_;
/* Reads the source to its end and returns the profile, owned by the caller. On error *ret still has the complete records. */
struct strobe_error *resolve_aggregate(struct resolver *r, struct profile **ret) _must_check_;

/* The i-th jitdump of the source, in order; false: no more. Call it after the source was read. */
struct jitdump;
struct resolved_jit {
	const struct mapped_file *file;
	uint32_t pid;
	uint64_t time_ns;           /* when it was mapped */
	const struct jitdump *dump; /* or NULL: it cannot be read */
};
bool resolver_jit(struct resolver *r, size_t i, struct resolved_jit *ret);
/* Converts a time of a compiler's clock to the recording's, for a dump that was mapped at mapped_ns. */
uint64_t jit_time(const struct env *env, const struct jitdump *d, uint64_t mapped_ns, uint64_t time);

/*
 * Delivers every record of the source in order of time: side-band records are applied, samples that pass the filter are
 * resolved and passed to sample(), other records to record() (NULL: skipped). A callback returns ERROR_STOPPED to end.
 */
struct resolve_callbacks {
	struct strobe_error *(*sample)(void *ctx, const struct resolved_sample *s);
	struct strobe_error *(*record)(void *ctx, struct record r, uint64_t time_ns);
	/*
	 * Called before the filter, and before frames are looked up: set *ret_keep to false to drop the sample. Called once per record,
	 * however many members of its group have a sample. NULL: keep all.
	 */
	struct strobe_error *(*early)(void *ctx, const struct resolved_sample *s, bool *ret_keep);
	/*
	 * Called before frames are looked up: true if the receiver knows this stack from an earlier sample, or needs no frames; leaf and
	 * chain are then empty. NULL: resolve all. Not called with hide_unresolved.
	 */
	bool (*knows_stack)(void *ctx, const struct resolved_sample *s);
	/*
	 * Called next, for samples with a chain: true if the receiver knows the frames of the last *ret_words of
	 * sample.callchain, possibly 0, from an earlier sample; chain then has the others, and leaf is empty. NULL: never.
	 */
	bool (*known_callers)(void *ctx, const struct resolved_sample *s, uint64_t *ret_words);
	/*
	 * The receiver uses only record, sample and event: the others are empty, there are no calls but sample() and record(), and tasks
	 * and mappings are not followed. Only for resolve_stream(), and recordings whose events have neither stacks nor the counters of
	 * a group.
	 */
	bool is_plain;
	void *ctx;
};
struct strobe_error *resolve_stream(struct resolver *r, struct resolve_callbacks callbacks) _must_check_;

/*
 * The same record by record. resolve_cursor_next() reads the next record, passes it to its callback, whose error it returns, and returns
 * the size of the record. A resolver serves one cursor, stream or aggregate at a time.
 */
struct resolve_cursor;
struct strobe_error *resolve_cursor_open(struct resolver *r, struct resolve_callbacks callbacks, struct resolve_cursor **ret) _must_check_;
struct strobe_error *resolve_cursor_next(struct resolve_cursor *c, uint32_t *ret_bytes, bool *ret_end) _must_check_;
void resolve_cursor_close(struct resolve_cursor *c);

/*
 * For callbacks of a stream or cursor: resolves a sample that is not a record of the source, such as the content of a RECORD_TIMED,
 * as of the current record, whose time it must have. Its event is ignored: it is unwound if it has registers and stack, and its
 * call chain is resolved. *ret is borrowed as in callbacks, without record and event.
 */
void resolver_look_up(struct resolver *r, const struct sample *sample, struct resolved_sample *ret);
/*
 * Resolves any address of the sample's thread, at its time, as one frame without inlined functions; map NULL: nothing is mapped there.
 * Tries the sample's CPU mode and the other one, since branches cross between kernel and user space, and the kernel accesses user memory.
 */
struct resolved_frame resolve_sample_address(struct machine *machine, struct symbols *symbols, const struct resolved_sample *s,
					     uint64_t ip);

/* Statistics about unwinding of stack dumps. */
struct resolve_dump_stats {
	uint64_t stacks;    /* all of them */
	uint64_t whole;     /* to the outermost frame */
	uint64_t cut;       /* truncated: the dump ended before the stack */
	uint64_t continued; /* continued by the kernel's frame-pointer chain */
	uint64_t switched;  /* a signal handler ran on an alternate stack, and only that was dumped */
	uint64_t broken;    /* in code without tables, or damaged */
	uint64_t limited;   /* at the maximum depth */
	uint64_t dump_bytes;   /* the largest requested size */
	uint64_t needed_bytes; /* size that truncated dumps would have needed, or a lower bound */
	bool needed_is_known;
};

/* Counts over all records seen, for --stats and the loss remarks: index is the record type. */
struct resolve_stats {
	uint64_t records[RECORD_TYPE_LIMIT];
	uint64_t unknown_records;
	uint64_t lost_records, lost_samples; /* sums of LOST.lost and LOST_SAMPLES.lost */
	uint64_t unknown_id_samples, bad_samples;
	uint64_t short_records;      /* records other than samples that are too short for their type */
	struct {
		uint64_t file_offset;
		uint32_t type, bytes;
	} first_short;
	uint64_t filtered_samples;   /* dropped by resolve_filter and switches */
	uint64_t unresolved_samples; /* dropped by hide_unresolved */
	uint64_t late_records;       /* resolve_stream: too late to be sorted */
	uint64_t misdated_records;   /* resolve_stream: order_misdated() */
	uint64_t first_ns, last_ns;  /* of samples */
	uint64_t cut_chains;         /* samples whose chain is marked as truncated by the recorder */
	uint64_t deep_chains;        /* of these, chains of maximum depth */
	struct resolve_dump_stats dumps;
	struct resolve_times {
		uint64_t walk_ns;   /* walk over record headers, side-band records */
		uint64_t sample_ns; /* reading samples, unwinding stack dumps */
		uint64_t name_ns;   /* symbols: functions, inlined frames, lines */
		uint64_t join_ns;   /* merging the threads' results into a profile */
	} times; /* of resolve_aggregate() of a mapped file; wall-clock time */
	const struct resolve_event_stats {
		uint64_t samples;      /* all of them, filtered or not */
		uint64_t lost_samples; /* LOST_SAMPLES of this event */
	} *events;                   /* by index in env->events */
	uint32_t events_nr;
};
/* Distinguishes frames by address from now on (resolve_options.by_address), for a live profile once code is shown. */
void resolver_use_addresses(struct resolver *r);
const struct resolve_stats *resolver_stats(const struct resolver *r);
