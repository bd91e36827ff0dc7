/*
 * Shared by the files of resolve/.
 */
#pragma once
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vector.h"
#include "decode/tracepoint.h"
#include "machine/machine.h"
#include "perfdata/reader.h"
#include "resolve/chain/deferred.h"
#include "resolve/dumps.h"
#include "resolve/frames.h"
#include "resolve/jit.h"
#include "resolve/keys.h"
#include "resolve/members.h"
#include "resolve/parallelism.h"
#include "resolve/rawtab.h"
#include "resolve/resolve.h"
#include "resolve/chain/stitch.h"

/* Sorted; nr 0 means any ID. */
struct id_list {
	uint32_t *ids;
	uint32_t nr;
};

struct filter {
	struct id_list cpus, pids, tids, comms; /* comms: ids in the machine's strings */
	struct time_range *times;
	uint32_t times_nr;
	bool of_samples; /* has cpus or times */
};

void filter_init(struct filter *f, const struct resolve_filter *from, struct machine *m);
/* Looks names up again, after the machine's strings have changed. */
void filter_set_comms(struct filter *f, const char *const *comms, uint32_t nr, struct machine *m);
void filter_deinit(struct filter *f);
bool filter_thread(const struct filter *f, uint32_t pid, uint32_t tid, str_id comm);
bool filter_sample(const struct filter *f, uint32_t cpu, uint64_t time_ns);

/* A label column of the options. */
struct column {
	const struct key *key;
	const char *name; /* as in the options */
	const char *field; /* KEY_TRACE_FIELD: of which field */
	bool raw;          /* the plain field, not as in the event's text */
};

/* The mapping address of a file in profiles: the first one seen, in any process; the same in later profiles. */
struct file_place {
	uint64_t start, end, offset;
	bool known;
};

struct resolver {
	struct record_source *source;
	const struct env *env;
	struct machine *machine;
	struct symbols *symbols;
	struct resolve_options options;
	struct filter filter;
	struct arena arena;
	struct column *columns;
	uint32_t columns_nr, thread_columns; /* those of threads come first */
	bool has_trace, has_full;            /* some column has tracepoint data; some column needs the whole sample */
	struct frame_cache frames;
	struct tracepoints *tracepoints;     /* NULL until needed */
	struct resolve_stats stats;
	struct resolve_event_stats *event_stats;
	/* No clock: the time of a record is its position in the input. */
	bool no_clock;
	struct members members; /* of the current stream */
	struct parallelism parallelism; /* the same */
	bool has_parallelism;           /* some column is of it */
	VEC(struct file_place) places; /* by mapped_file.id */
	bool is_switched;       /* there are events that switch */
	struct event_switches switches;
	struct jit jit;
	struct symbols_options symbols_options;
	struct deferred deferred;
	struct stitches stitches; /* without env if not used */
	struct unwind_tables *tables; /* NULL until needed */
	struct dump_reach reach;
	struct stream *stream; /* of the stream or cursor that is open, or NULL */
	uint64_t symbols_max; /* maximum number before files are dropped; 0: unlimited */
};

struct tracepoints *resolver_tracepoints(struct resolver *r);
/*
 * Whether records are applied in order of time, or in any order up to resolver_seal(). The machine is consulted only when it is
 * complete, or in order.
 */
void resolver_apply_in_order(struct resolver *r, bool in_order);
void resolver_seal(struct resolver *r);
/*
 * Call it between two passes over samples, without workers: drops tasks that ended before before_ns from the machine, and files
 * from the symbols once most of them are no longer mapped.
 */
void resolver_forget_ended(struct resolver *r, uint64_t before_ns);
/* As above, but drops only the frame cache, which is filled again as needed. */
void resolver_forget_frames(struct resolver *r);
/* Allocates counters for all events in env so far. */
void resolver_size_stats(struct resolver *r);

/* Resets the counts of an earlier pass. */
void resolver_start(struct resolver *r);
/* Adds the time since *from_ns to *sum, and sets *from_ns to now: for resolve_times. */
void resolver_lap(uint64_t *from_ns, uint64_t *sum);
/*
 * The records of the source from its start, in order of time, each with its time (0: none; its number if there is no clock). Call
 * reading_close() also if reading_open() failed.
 */
struct reading {
	struct resolver *r;
	struct record_source *from; /* r->source, or a source that sorts its records */
	uint64_t place;             /* of the last record, from 1 on, if there is no clock */
};
struct strobe_error *reading_open(struct reading *reading, struct resolver *r) _must_check_;
struct strobe_error *reading_next(struct reading *reading, struct record *ret, uint64_t *ret_ns, bool *ret_end) _must_check_;
void reading_close(struct reading *reading);
/* All of them: fn for each. */
struct strobe_error *resolver_read(struct resolver *r,
				   struct strobe_error *(*fn)(void *ctx, struct record rec, uint64_t time_ns), void *ctx)
	_must_check_;

/*
 * Each header has the position of the next one, so a walk waits for memory at every record unless lines are prefetched:
 * prefetching a page ahead makes it three times as fast, limited by memory bandwidth.
 */
#define WALK_PREFETCH_BYTES 4096
/* Larger recordings are mapped only where they are being read, so that they do not evict other pages from memory. */
#define RESOLVE_RESIDENT_MAX (32ull << 20)

/* walk.c: everything but samples. */
struct worker;
struct walk {
	struct resolver *r;
	VEC(uint64_t) slices; /* offsets in the span of slices of whole records; the last is the end */
	uint64_t from;         /* where it starts in the span: records before it are known (tally.h) */
	uint64_t records;
	bool with_samples;     /* count samples by event, too */
	struct worker *worker; /* for samples read one by one */
};
/* Walks the span, counts records, applies them to the machine. */
void walk_span(struct walk *w, const struct reader_span *span);
struct strobe_error *walk_rest(struct walk *w, const struct reader_span *span,
			       void (*fn)(struct walk *w, struct record rec, uint64_t place)) _must_check_;
void walk_rest_side_band(struct walk *w, struct record rec, uint64_t place);
void walk_deinit(struct walk *w);
/*
 * When a record counts; place: its position in the input, from 1 on. Synthesized records have no time: they describe the state before
 * the recording.
 */
uint64_t walk_time(const struct resolver *r, struct record rec, uint64_t place);
/* The number of bytes after a record that are not part of it. */
static inline uint64_t record_payload_bytes(const struct perf_event_header *hdr)
{
	uint64_t bytes = 0;
	if (hdr->type == RECORD_AUXTRACE && hdr->size >= sizeof(*hdr) + sizeof(bytes))
		memcpy(&bytes, hdr + 1, sizeof(bytes));
	return bytes;
}
/* Whether everything must be read in order of time, and not in slices. */
bool resolver_needs_order(const struct resolver *r);

/* Whether an event's stacks are to be joined with its branch records (--call-graph lbr). */
static inline bool attr_has_calls(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_CALLCHAIN && a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}
/* Whether a truncated chain has the recorder's maximum depth. */
bool resolver_chain_is_deep(const struct resolver *r, uint32_t event, const uint64_t *words, uint64_t words_nr);
/* Counts the samples of a record by event, and the span of time, without further decoding. */
void resolver_count_samples(struct resolver *r, struct record rec, uint64_t time_ns);
/* Counts a record that is not a sample; false: it is too short for its type. */
bool resolver_count_record(struct resolver *r, struct record rec);
/* Counts a record that is not a sample and applies it to the machine. in_place: its memory stays valid until machine_seal(). */
void resolver_side_band(struct resolver *r, struct record rec, uint64_t time_ns, bool in_place);
