/*
 * The serial pass over a mapped recording: record headers only, and the few records that are not samples.
 */
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"
#include "resolve/resolver_priv.h"

#define LINE_BYTES     64
#define WALK_AHEAD     8 /* records */
/* Slices are small enough for an even distribution, and large enough for a negligible overhead. */
#define SLICE_BYTES (1u << 20)
/* Pages are populated in pieces of this size: one call in place of many page faults. */
#define POPULATE_BYTES (8u << 20)
#define WINDOWS_AHEAD  2

static void count_lost(struct resolver *r, struct record rec)
{
	struct record_lost lost;
	if (!record_decode_lost(rec, &lost))
		return;
	if (rec.hdr->type == PERF_RECORD_LOST) {
		r->stats.lost_records += lost.lost;
		return;
	}
	r->stats.lost_samples += lost.lost;
	uint32_t event = env_event_of_sample(r->env, rec);
	if (event < r->stats.events_nr)
		r->event_stats[event].lost_samples += lost.lost;
}

static void count_type(struct resolver *r, uint32_t type)
{
	if (type < RECORD_TYPE_LIMIT)
		r->stats.records[type]++;
	if (!record_type_name(type))
		r->stats.unknown_records++;
}

/* Bytes beyond the end of such a record must not be read as zeros. */
static bool is_short(struct resolver *r, struct record rec)
{
	if (rec.hdr->size >= record_least_bytes(rec.hdr->type))
		return false;
	if (!r->stats.short_records++) {
		r->stats.first_short.file_offset = rec.file_offset;
		r->stats.first_short.type = rec.hdr->type;
		r->stats.first_short.bytes = rec.hdr->size;
	}
	return true;
}

bool resolver_count_record(struct resolver *r, struct record rec)
{
	uint32_t type = rec.hdr->type;
	count_type(r, type);
	if (is_short(r, rec))
		return false;
	if (type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES)
		count_lost(r, rec);
	return true;
}

void resolver_side_band(struct resolver *r, struct record rec, uint64_t time_ns, bool in_place)
{
	uint32_t type = rec.hdr->type;
	if (!resolver_count_record(r, rec))
		return;
	if (type == RECORD_CALLCHAIN_DEFERRED)
		deferred_note(&r->deferred, r->env, rec);
	struct record_task task;
	if (type == PERF_RECORD_EXIT && r->members.numbers.used && record_decode_task(rec, &task))
		members_end_thread(&r->members, task.tid);
	if (r->has_parallelism)
		parallelism_note(&r->parallelism, r->env, rec);
	if (in_place)
		machine_apply_in_place(r->machine, rec, time_ns);
	else
		machine_apply(r->machine, rec, time_ns);
	if (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2)
		jit_mmap(&r->jit, rec, time_ns);
}

uint64_t walk_time(const struct resolver *r, struct record rec, uint64_t place)
{
	uint64_t time_ns;
	if (r->no_clock)
		return place;
	return env_record_time(r->env, rec, &time_ns) ? time_ns : 0;
}

/* For samples that are not processed further. */
static void count_sample(struct resolver *r, struct record rec)
{
	uint64_t time_ns = 0;
	(void)env_record_time(r->env, rec, &time_ns);
	resolver_count_samples(r, rec, time_ns);
}

/*
 * Pages of a large recording are mapped in windows: the current one, and some that a second thread populates ahead, so that the
 * walk does not wait for them.
 */
struct windows {
	struct walk *walk;
	const struct reader_span *span;
	sem_t *ahead; /* counts windows that may be populated; NULL: only one thread */
	_Atomic uint64_t walked; /* start of the walk's window */
};

static uint64_t window_bytes(const struct reader_span *span, uint64_t at)
{
	return span->bytes - at < POPULATE_BYTES ? span->bytes - at : POPULATE_BYTES;
}

static void populate_ahead(struct windows *w)
{
	for (uint64_t at = w->walk->from; at < w->span->bytes; at += POPULATE_BYTES) {
		while (sem_wait(w->ahead))
			;
		/* Windows that the walk has left must not be populated again. */
		if (at >= atomic_load_explicit(&w->walked, memory_order_relaxed))
			reader_populate(w->walk->r->source, w->span->file_offset + at, window_bytes(w->span, at));
	}
}

/* The walk has reached a window: releases the one before. */
static void enter_window(struct windows *w, uint64_t at)
{
	struct record_source *source = w->walk->r->source;
	atomic_store_explicit(&w->walked, at, memory_order_relaxed);
	if (w->span->bytes > RESOLVE_RESIDENT_MAX && at > w->walk->from)
		reader_leave(source, w->span->file_offset + at - POPULATE_BYTES, POPULATE_BYTES);
	if (w->ahead)
		sem_post(w->ahead);
	else
		reader_populate(source, w->span->file_offset + at, window_bytes(w->span, at));
}

static void walk_records(struct windows *windows)
{
	struct walk *w = windows->walk;
	const struct reader_span *span = windows->span;
	struct resolver *r = w->r;
	uint64_t at = w->from, slice_end = 0, window = at, records = 0, samples = 0;
	struct record rec;
	for (;;) {
		uint64_t place = at;
		for (; place >= window; window += POPULATE_BYTES)
			enter_window(windows, window);
		for (unsigned i = 0; i < 3; i++)
			__builtin_prefetch(span->data + at + WALK_PREFETCH_BYTES + i * LINE_BYTES);
		if (!reader_span_next(r->source, span, &at, &rec))
			break;
		/* Long records (stack dumps) mostly have the length of the one before. */
		__builtin_prefetch(span->data + at + WALK_AHEAD * rec.hdr->size);
		records++;
		if (place >= slice_end) {
			vec_push(&w->slices, place);
			slice_end = place + SLICE_BYTES;
		}
		if (__builtin_expect(rec.hdr->type == PERF_RECORD_SAMPLE, 1)) {
			samples++;
			if (w->with_samples)
				count_sample(r, rec);
		} else {
			resolver_side_band(r, rec, walk_time(r, rec, place + 1), true);
		}
	}
	vec_push(&w->slices, at);
	w->records += records;
	r->stats.records[PERF_RECORD_SAMPLE] += samples;
	/* The walk may have ended early: do not let the second thread wait. */
	atomic_store_explicit(&windows->walked, UINT64_MAX, memory_order_relaxed);
	for (; windows->ahead && window < span->bytes; window += POPULATE_BYTES)
		sem_post(windows->ahead);
}

static void walk_or_populate(void *ctx, size_t i, unsigned thread)
{
	(void)thread;
	if (i)
		populate_ahead(ctx);
	else
		walk_records(ctx);
}

void walk_span(struct walk *w, const struct reader_span *span)
{
	sem_t ahead;
	struct windows windows = { .walk = w, .span = span };
	unsigned threads = w->r->options.threads ? w->r->options.threads : pool_cpus();
	if (threads < 2 || span->bytes - w->from <= RESOLVE_RESIDENT_MAX || sem_init(&ahead, 0, WINDOWS_AHEAD)) {
		walk_records(&windows);
		return;
	}
	windows.ahead = &ahead;
	pool_run(2, 2, walk_or_populate, &windows);
	sem_destroy(&ahead);
}

/*
 * The walk ends at records that are compressed, must be moved, or are damaged: from there on the source delivers them one by
 * one. place continues from the walk's end.
 */
struct strobe_error *walk_rest(struct walk *w, const struct reader_span *span,
			       void (*fn)(struct walk *w, struct record rec, uint64_t place))
{
	struct record rec;
	bool end = false;
	uint64_t at = vec_last(&w->slices);
	reader_span_done(w->r->source, span, at, w->records);
	for (;;) {
		TRY(source_next(w->r->source, &rec, &end));
		if (end)
			return NULL;
		fn(w, rec, ++at);
	}
}

void walk_rest_side_band(struct walk *w, struct record rec, uint64_t place)
{
	if (rec.hdr->type != PERF_RECORD_SAMPLE) {
		resolver_side_band(w->r, rec, walk_time(w->r, rec, place), false);
		return;
	}
	w->r->stats.records[PERF_RECORD_SAMPLE]++;
	if (w->with_samples)
		count_sample(w->r, rec);
}

void walk_deinit(struct walk *w)
{
	vec_deinit(&w->slices);
}
