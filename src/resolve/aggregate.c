/*
 * A whole recording → raw rows → profile: in slices on several threads if it is mapped, else in one stream.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "resolve/tally.h"
#include "resolve/worker.h"

#define TIME_LOG_MAX 4000000
/* With fewer slices than this, starting a second thread costs more than it saves. */
#define SLICES_PER_THREAD 2
#define TALLY_SLICE_BYTES (1u << 20)
/* Longer records have a stack dump: no prefetcher reaches the next record. */
#define LONG_BYTES    2048
#define BYTES_PER_ROW 512

struct slices {
	struct resolver *r;
	struct walk *walk;
	const struct reader_span *span;
	struct worker *workers;
	_Atomic uint64_t done_bytes;
	_Atomic bool stopped;
};

/* Progress is reported by the caller's thread alone. */
static void report_progress(struct slices *s, uint64_t bytes, unsigned thread)
{
	struct progress *p = s->r->options.progress;
	uint64_t done = atomic_fetch_add_explicit(&s->done_bytes, bytes, memory_order_relaxed) + bytes;
	if (p && !thread && done > p->done && !progress_add(p, done - p->done))
		atomic_store_explicit(&s->stopped, true, memory_order_relaxed);
}

/* The data that a walk needs first: registers, and the innermost frames. */
static void prefetch_long(const uint8_t *record)
{
	for (unsigned i = 0; i < 8; i++)
		__builtin_prefetch(record + i * 64);
}

static void run_slice(void *ctx, size_t i, unsigned thread)
{
	struct slices *s = ctx;
	struct worker *w = &s->workers[thread];
	uint64_t start = s->walk->slices.data[i], at = start, end = s->walk->slices.data[i + 1];
	bool is_left = s->span->bytes > RESOLVE_RESIDENT_MAX;
	if (atomic_load_explicit(&s->stopped, memory_order_relaxed))
		return;
	if (is_left)
		reader_populate(s->r->source, s->span->file_offset + at, end - at);
	for (uint64_t from = at; at < end;) {
		const struct perf_event_header *hdr = (const void *)(s->span->data + at);
		__builtin_prefetch(s->span->data + at + 1024);
		__builtin_prefetch(s->span->data + at + 1024 + 64);
		__builtin_prefetch(s->span->data + at + 1024 + 128);
		if (hdr->size > LONG_BYTES)
			prefetch_long(s->span->data + at + hdr->size);
		if (hdr->type == PERF_RECORD_SAMPLE) {
			/* 0 is the time of synthesized records: a place must not be 0. */
			worker_sample(w, (struct record){ .hdr = hdr, .file_offset = s->span->file_offset + at }, at + 1);
		}
		at += hdr->size + record_payload_bytes(hdr);
		if (at >= end)
			report_progress(s, at - from, thread);
	}
	if (is_left) {
		worker_flush(w);
		reader_leave(s->r->source, s->span->file_offset + start, end - start);
	}
}

/* rows: the expected total number of rows; 0: unknown. */
static struct worker *workers_create(struct resolver *r, unsigned n, bool stable, uint64_t rows)
{
	struct worker *workers = xcalloc_apart(n, sizeof(*workers));
	uint64_t log_max = r->options.time_log_max ? r->options.time_log_max : TIME_LOG_MAX;
	for (unsigned i = 0; i < n; i++)
		worker_init(&workers[i], r, r->options.keep_time_log ? log_max / n : 0, stable, rows / n);
	return workers;
}

static struct profile *workers_finish(struct resolver *r, struct worker *workers, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		worker_flush(&workers[i]);
		step_count(&workers[i].step);
	}
	dumps_finish(r);
	for (unsigned i = 0; i < n; i++)
		rawtab_seal(&workers[i].tab);
	struct profile *p = profile_create();
	fill_profile(r, workers, n, p);
	for (unsigned i = 0; i < n; i++)
		worker_deinit(&workers[i]);
	free(workers);
	return p;
}

static unsigned threads_for(const struct resolver *r, size_t slices)
{
	unsigned threads = r->options.threads ? r->options.threads : pool_cpus();
	size_t worth = slices / SLICES_PER_THREAD;
	if (threads > worth)
		threads = (unsigned)worth;
	return threads ? threads : 1;
}

/* Many short samples share rows; long ones have at most one row each. */
static uint64_t likely_rows(const struct reader_span *span, const struct walk *walk)
{
	uint64_t by_bytes = span->bytes / BYTES_PER_ROW;
	return by_bytes < walk->records ? by_bytes : walk->records;
}

static void rest_sample(struct walk *w, struct record rec, uint64_t place)
{
	if (rec.hdr->type != PERF_RECORD_SAMPLE)
		return;
	/* These records need not stay in place. */
	worker_sample(w->worker, rec, place);
	worker_flush(w->worker);
}

/* Scans samples of which stacks are not kept. NULL: the walk must start at the first record. */
static struct tallies *tally(struct resolver *r, const struct reader_span *span, struct walk *walk)
{
	if (!tally_suffices(r))
		return NULL;
	struct tallies *t = tally_scan(r, span, threads_for(r, span->bytes / TALLY_SLICE_BYTES));
	walk->from = tally_apply(t, walk);
	return t;
}

static struct strobe_error *aggregate_span(struct resolver *r, const struct reader_span *span, struct profile **ret)
{
	struct walk walk = { .r = r };
	uint64_t lap_ns;
	resolver_lap(&lap_ns, NULL);
	resolver_apply_in_order(r, false);
	struct tallies *tallies = tally(r, span, &walk);
	walk_span(&walk, span);
	/* If this fails, the second pass fails at the same record. */
	error_destroy(walk_rest(&walk, span, walk_rest_side_band));
	resolver_seal(r);
	resolver_lap(&lap_ns, &r->stats.times.walk_ns);
	size_t n = walk.slices.len - 1;
	unsigned threads = threads_for(r, n);
	if (tallies && tally_parts(tallies) > threads)
		threads = tally_parts(tallies);
	struct slices s = { .r = r, .walk = &walk, .span = span, .workers = workers_create(r, threads, true, likely_rows(span, &walk)) };
	if (tallies)
		tally_count(tallies, s.workers);
	tally_destroy(tallies);
	if (r->options.progress)
		r->options.progress->total = span->bytes;
	pool_run(n, threads, run_slice, &s);
	walk.worker = &s.workers[0];
	for (unsigned i = 0; i < threads; i++)
		worker_flush(&s.workers[i]);
	struct strobe_error *err = walk_rest(&walk, span, rest_sample);
	reader_leave(r->source, span->file_offset, span->bytes); /* the memory is now needed for names and the profile */
	resolver_lap(&lap_ns, &r->stats.times.sample_ns);
	*ret = workers_finish(r, s.workers, threads);
	walk_deinit(&walk);
	if (!s.stopped)
		return err;
	error_destroy(err);
	return error_create(ERROR_STOPPED, "stopped");
}

struct feed {
	struct resolver *r;
	struct worker *worker; /* NULL: only count */
	uint64_t place;
};

static struct strobe_error *feed_record(void *ctx, struct record rec, uint64_t time_ns)
{
	struct feed *f = ctx;
	struct progress *progress = f->r->options.progress;
	f->place++;
	if (progress && !progress_add(progress, rec.hdr->size))
		return error_create(ERROR_STOPPED, "stopped");
	if (rec.hdr->type != PERF_RECORD_SAMPLE) {
		resolver_side_band(f->r, rec, time_ns, false);
		return NULL;
	}
	f->r->stats.records[PERF_RECORD_SAMPLE]++;
	if (!f->worker) {
		resolver_count_samples(f->r, rec, time_ns);
		return NULL;
	}
	step_machine_changed(&f->worker->step); /* by earlier records, or by code of jitdumps in between */
	worker_sample(f->worker, rec, f->place);
	return NULL;
}

static struct strobe_error *aggregate_stream(struct resolver *r, struct profile **ret)
{
	struct worker *w = workers_create(r, 1, false, 0);
	struct feed f = { .r = r, .worker = w };
	struct strobe_error *err = resolver_read(r, feed_record, &f);
	*ret = workers_finish(r, w, 1);
	return err;
}

struct strobe_error *resolve_aggregate(struct resolver *r, struct profile **ret)
{
	struct reader_span span;
	*ret = NULL;
	resolver_start(r);
	if (!resolver_needs_order(r) && reader_span(r->source, &span))
		return aggregate_span(r, &span, ret);
	return aggregate_stream(r, ret);
}

struct strobe_error *resolve_count(struct resolver *r)
{
	struct reader_span span;
	resolver_start(r);
	if (resolver_needs_order(r) || !reader_span(r->source, &span)) {
		struct feed f = { .r = r };
		return resolver_read(r, feed_record, &f);
	}
	struct walk walk = { .r = r, .with_samples = true };
	resolver_apply_in_order(r, false);
	walk_span(&walk, &span);
	struct strobe_error *err = walk_rest(&walk, &span, walk_rest_side_band);
	resolver_seal(r);
	walk_deinit(&walk);
	return err;
}
