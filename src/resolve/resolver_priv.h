/*
 * What the files of the resolve room share.
 */
#pragma once
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vector.h"
#include "decode/tracepoint.h"
#include "machine/machine.h"
#include "perfdata/reader.h"
#include "resolve/deferred.h"
#include "resolve/dumps.h"
#include "resolve/frames.h"
#include "resolve/jit.h"
#include "resolve/keys.h"
#include "resolve/members.h"
#include "resolve/parallelism.h"
#include "resolve/rawtab.h"
#include "resolve/resolve.h"
#include "resolve/stitch.h"

/* Sorted; of nr 0 every id is one. */
struct id_list {
	uint32_t *ids;
	uint32_t nr;
};

struct filter {
	struct id_list cpus, pids, tids, comms; /* comms: ids in the machine's strings */
	struct time_range *times;
	uint32_t times_nr;
	bool of_samples; /* cpus or times are given */
};

void filter_init(struct filter *f, const struct resolve_filter *from, struct machine *m);
/* Names anew, once the machine has other strings. */
void filter_set_comms(struct filter *f, const char *const *comms, uint32_t nr, struct machine *m);
void filter_deinit(struct filter *f);
bool filter_thread(const struct filter *f, uint32_t pid, uint32_t tid, str_id comm);
bool filter_sample(const struct filter *f, uint32_t cpu, uint64_t time_ns);

/* A label column of the options. */
struct column {
	const struct key *key;
	const char *name; /* as in the options */
	const char *field; /* KEY_TRACE_FIELD: of which field */
	bool raw;          /* the field alone, and not as the event's text shows it */
};

/* Where profiles say that a file was mapped: where it was met first, in whatever process; the same in profiles to come. */
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
	bool has_trace, has_full;            /* some column is of tracepoint data; needs the whole sample */
	struct frame_cache frames;
	struct tracepoints *tracepoints;     /* NULL until needed */
	struct resolve_stats stats;
	struct resolve_event_stats *event_stats;
	/* No clock to order by: where a record is in the input is its time. */
	bool no_clock;
	struct members members; /* of the stream at hand */
	struct parallelism parallelism; /* the same */
	bool has_parallelism;           /* some column is of it */
	VEC(struct file_place) places; /* by mapped_file.id */
	bool is_switched;       /* there are events that switch */
	struct event_switches switches;
	struct jit jit;
	struct symbols_options symbols_options;
	struct deferred deferred;
	struct stitches stitches; /* without env where none are to be made */
	struct unwind_tables *tables; /* NULL until needed */
	struct dump_reach reach;
	struct stream *stream; /* of the stream or cursor that is open, or NULL */
	uint64_t symbols_max; /* that are held before files are forgotten; 0: as many as there will be */
};

struct tracepoints *resolver_tracepoints(struct resolver *r);
/*
 * Whether records are applied in order of time, as they are read, or in any order up to resolver_seal(). Who knows the processes
 * asks the machine about them only when it is complete, or in order.
 */
void resolver_apply_in_order(struct resolver *r, bool in_order);
void resolver_seal(struct resolver *r);
/*
 * Between two passes over samples, with no worker alive: what ended before before_ns is forgotten by the machine, and by the
 * symbols too once most files that they know are not mapped any more.
 */
void resolver_forget_ended(struct resolver *r, uint64_t before_ns);
/* As above, and only what is known of addresses, which is found again where it is needed. */
void resolver_forget_frames(struct resolver *r);
/* Per-event counters for all events that env has by now. */
void resolver_size_stats(struct resolver *r);

/* Forgets the counts of an earlier reading. */
void resolver_start(struct resolver *r);
/* Adds the time since *from_ns to *sum, and begins anew: for resolve_times. */
void resolver_lap(uint64_t *from_ns, uint64_t *sum);
/*
 * The records of the source from its start, in order of time, each with its time (0 where it has none; its number where there is no
 * clock). reading_close() where reading_open() failed, too.
 */
struct reading {
	struct resolver *r;
	struct record_source *from; /* r->source, or what puts its records in order */
	uint64_t place;             /* of the last record, from 1 on, where there is no clock */
};
struct strobe_error *reading_open(struct reading *reading, struct resolver *r) _must_check_;
struct strobe_error *reading_next(struct reading *reading, struct record *ret, uint64_t *ret_ns, bool *ret_end) _must_check_;
void reading_close(struct reading *reading);
/* All of them: fn for each. */
struct strobe_error *resolver_read(struct resolver *r,
				   struct strobe_error *(*fn)(void *ctx, struct record rec, uint64_t time_ns), void *ctx)
	_must_check_;

/*
 * Each header says where the next one is, so a walk waits for memory at every record unless lines are prefetched:
 * a page ahead makes it three times as fast, as fast as memory can be read at all.
 */
#define WALK_PREFETCH_BYTES 4096
/* Of larger recordings only what is being read is kept mapped: all of a file that is as large as memory would drive out others. */
#define RESOLVE_RESIDENT_MAX (32ull << 20)

/* walk.c: everything but samples. */
struct worker;
struct walk {
	struct resolver *r;
	VEC(uint64_t) slices; /* offsets in the span at which slices of whole records begin; the last is the end */
	uint64_t records;
	bool with_samples;     /* count samples by event, too */
	struct worker *worker; /* for the samples of the rest */
};
/* Walks the span, counts records, applies them to the machine. */
void walk_span(struct walk *w, const struct reader_span *span);
struct strobe_error *walk_rest(struct walk *w, const struct reader_span *span,
			       void (*fn)(struct walk *w, struct record rec, uint64_t place)) _must_check_;
void walk_rest_side_band(struct walk *w, struct record rec, uint64_t place);
void walk_deinit(struct walk *w);
/* Bytes that follow a record without being part of it. */
static inline uint64_t record_payload_bytes(const struct perf_event_header *hdr)
{
	uint64_t bytes = 0;
	if (hdr->type == RECORD_AUXTRACE && hdr->size >= sizeof(*hdr) + sizeof(bytes))
		memcpy(&bytes, hdr + 1, sizeof(bytes));
	return bytes;
}
/* Whether the whole must be read in order of time, and not in slices. */
bool resolver_needs_order(const struct resolver *r);

/* Whether an event's stacks are to be joined with its branch records (--call-graph lbr). */
static inline bool attr_has_calls(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_CALLCHAIN && a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}
/* Of a chain that is cut: whether it has as many addresses as its recorder walks. */
bool resolver_chain_is_deep(const struct resolver *r, uint32_t event, const uint64_t *words, uint64_t words_nr);
/* Counts the samples that a record stands for by their events, and the span of time; nothing else of them is read. */
void resolver_count_samples(struct resolver *r, struct record rec, uint64_t time_ns);
/* Counts one record that is not a sample and applies it to the machine. in_place: it stays there until machine_seal(). */
void resolver_side_band(struct resolver *r, struct record rec, uint64_t time_ns, bool in_place);
