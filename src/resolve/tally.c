#include "resolve/tally.h"

#include <stdlib.h>

#include "base/pool.h"
#include "resolve/members.h"

#define WINDOW_BYTES	(4u << 20) /* mapped by one call, and left afterwards */
#define SEARCHED_BYTES	(1u << 18) /* for a first record: four of the largest */
#define RECORDS_IN_A_ROW 32	   /* that must follow a guessed one */
#define LINE_BYTES	64

/* Equal samples; 64 bytes. */
struct tally {
	uint64_t ip, thread; /* tid << 32 | pid */
	uint64_t samples, period;
	uint64_t place;             /* of the first */
	uint64_t first_ns, last_ns; /* their earliest and latest time */
	uint32_t kind;              /* event << 16 | cpumode */
	bool is_split;              /* its thread or maps changed in between */
};

/* Of a part of the span, for one thread. Offsets are in the span. */
struct part {
	uint64_t start, end; /* `end` moves with the scan */
	uint64_t records, samples;
	bool has_stopped; /* at a record after which others may have to be read in another way */
	bool has_split;
	VEC(struct tally) tallies; /* in order of place */
	struct idset index;
	VEC(uint64_t) others, single; /* records that are not samples; samples that workers must look at */
} THREAD_OWN;

struct tallies {
	struct resolver *r;
	const struct reader_span *span;
	struct part *parts;
	unsigned parts_nr, joined_nr;
	uint64_t part_bytes;
	struct worker *workers;
};

bool tally_suffices(const struct resolver *r)
{
	const struct resolve_options *o = &r->options;
	if (o->with_chains || o->branch_mode || o->mem_mode || o->branch_history || o->keep_time_log || o->progress || r->has_full ||
	    r->no_clock || r->filter.of_samples || r->columns_nr != r->thread_columns || r->env->events.len > RAW_EVENTS_MAX)
		return false;
	for (size_t i = 0; i < r->env->events.len; i++)
		if (r->env->events.data[i].attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE || members_are_read(&r->env->events.data[i].attr))
			return false;
	return r->env->events.len > 0;
}

/* ---- where records start ---- */

static const struct perf_event_header *header_at(const struct reader_span *span, uint64_t at)
{
	return (const struct perf_event_header *)(span->data + at);
}

static bool is_whole(const struct reader_span *span, uint64_t at)
{
	const struct perf_event_header *hdr = header_at(span, at);
	uint64_t left = span->bytes - at;
	return left >= sizeof(*hdr) && hdr->size >= sizeof(*hdr) && hdr->size <= left && !(hdr->size & 7);
}

static bool looks_like_record(const struct tallies *t, uint64_t at)
{
	if (!is_whole(t->span, at))
		return false;
	const struct perf_event_header *hdr = header_at(t->span, at);
	uint32_t least = hdr->type == PERF_RECORD_SAMPLE ? t->r->env->events.data[0].layout.variable : record_least_bytes(hdr->type);
	return record_type_name(hdr->type) && hdr->size >= least;
}

static bool starts_records(const struct tallies *t, uint64_t at)
{
	for (unsigned i = 0; i < RECORDS_IN_A_ROW && at < t->span->bytes; i++) {
		if (!looks_like_record(t, at))
			return false;
		at += header_at(t->span, at)->size;
	}
	return true;
}

/* The end of the span if none is found. */
static uint64_t find_record(const struct tallies *t, uint64_t from)
{
	uint64_t end = t->span->bytes - from < SEARCHED_BYTES ? t->span->bytes : from + SEARCHED_BYTES;
	for (uint64_t at = from & ~7ull; at < end; at += 8)
		if (starts_records(t, at))
			return at;
	return t->span->bytes;
}

/* ---- the scan ---- */

static inline bool tally_eq(const void *table, uint32_t id, const void *key)
{
	const struct tally *a = &((const struct part *)table)->tallies.data[id], *b = key;
	return a->ip == b->ip && a->thread == b->thread && a->kind == b->kind;
}

static inline uint64_t hash_of(const struct tally *k)
{
	return hash_mum(k->ip ^ 0xa0761d6478bd642full, (k->thread ^ (uint64_t)k->kind << 20) + 0x8ebc6af09c88c6e3ull);
}

/* False: a worker must look at the sample. */
static inline bool key_of(const struct env *env, struct record rec, struct tally *ret)
{
	struct sample_hot hot;
	uint32_t event = env->events.len == 1 ? 0 : env_event_of_sample(env, rec);
	if (event >= env->events.len || rec.hdr->misc & RECORD_MISC_CHAIN_CUT ||
	    !sample_decode_hot(&env->events.data[event].layout, rec, &hot))
		return false;
	ret->ip = hot.ip;
	ret->thread = (uint64_t)hot.tid << 32 | hot.pid;
	ret->kind = event << 16 | (hot.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	ret->period = hot.period;
	ret->first_ns = ret->last_ns = hot.time;
	return true;
}

static inline struct tally *find_tally(const struct part *p, const struct tally *key, uint64_t hash)
{
	uint32_t id = idset_find(&p->index, hash, tally_eq, p, key);
	return id == IDSET_NONE ? NULL : &p->tallies.data[id];
}

static void add_tally(struct part *p, const struct tally *key, uint64_t hash, uint64_t place)
{
	idset_insert(&p->index, hash, (uint32_t)p->tallies.len);
	vec_push(&p->tallies, *key);
	vec_last(&p->tallies).samples = 1;
	vec_last(&p->tallies).place = place;
	vec_last(&p->tallies).is_split = false;
}

static inline void scan_sample(struct part *p, const struct env *env, struct record rec, uint64_t place)
{
	struct tally key;
	if (__builtin_expect(!key_of(env, rec, &key), 0)) {
		vec_push(&p->single, place);
		return;
	}
	uint64_t hash = hash_of(&key);
	struct tally *t = find_tally(p, &key, hash);
	if (__builtin_expect(!t, 0)) {
		add_tally(p, &key, hash, place);
		return;
	}
	t->samples++;
	t->period += key.period;
	t->first_ns = key.first_ns < t->first_ns ? key.first_ns : t->first_ns;
	t->last_ns = key.last_ns > t->last_ns ? key.last_ns : t->last_ns;
}

/* New events, data behind the record, or records within it. */
static bool changes_reading(uint32_t type)
{
	if (__builtin_expect(type < RECORD_USER_FIRST, 1))
		return false;
	return type == RECORD_HEADER_ATTR || type == RECORD_HEADER_TRACING_DATA || type == RECORD_AUXTRACE ||
	       type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 || !record_type_name(type);
}

static void scan_window(const struct tallies *t, struct part *p, uint64_t until)
{
	const struct reader_span *span = t->span;
	const struct env *env = t->r->env;
	uint64_t at = p->end;
	for (; at < until; p->records++) {
		const struct perf_event_header *hdr = header_at(span, at);
		for (unsigned i = 0; i < 3; i++)
			__builtin_prefetch(span->data + at + WALK_PREFETCH_BYTES + i * LINE_BYTES);
		if (__builtin_expect(!is_whole(span, at) || changes_reading(hdr->type), 0)) {
			p->has_stopped = true;
			break;
		}
		if (__builtin_expect(hdr->type == PERF_RECORD_SAMPLE, 1)) {
			p->samples++;
			scan_sample(p, env, (struct record){ .hdr = hdr, .file_offset = span->file_offset + at }, at);
		} else {
			vec_push(&p->others, at);
		}
		at += hdr->size;
	}
	p->end = at;
}

/* Maps what is read next, and leaves what has been read. */
static uint64_t enter_window(const struct tallies *t, uint64_t start, uint64_t at, uint64_t until)
{
	uint64_t bytes = until - at < WINDOW_BYTES ? until - at : WINDOW_BYTES;
	if (t->span->bytes > RESOLVE_RESIDENT_MAX && at >= start + WINDOW_BYTES)
		reader_leave(t->r->source, t->span->file_offset + at - WINDOW_BYTES, WINDOW_BYTES);
	reader_populate(t->r->source, t->span->file_offset + at, bytes);
	return at + bytes;
}

static void scan(const struct tallies *t, struct part *p, uint64_t until)
{
	uint64_t start = p->end;
	for (uint64_t at = start; at < until && !p->has_stopped;) {
		uint64_t window = enter_window(t, start, at, until);
		scan_window(t, p, window);
		at = window;
	}
}

static uint64_t end_of(const struct tallies *t, unsigned part)
{
	return part + 1 < t->parts_nr ? (part + 1) * t->part_bytes : t->span->bytes;
}

static void scan_part(void *ctx, size_t i, unsigned thread)
{
	struct tallies *t = ctx;
	struct part *p = &t->parts[i];
	(void)thread;
	p->start = p->end = i ? find_record(t, i * t->part_bytes) : 0;
	scan(t, p, end_of(t, (unsigned)i));
}

static void scan_again(const struct tallies *t, unsigned part, uint64_t from)
{
	struct part *p = &t->parts[part];
	idset_clear(&p->index);
	vec_clear(&p->tallies);
	vec_clear(&p->others);
	vec_clear(&p->single);
	p->records = p->samples = 0;
	p->has_stopped = false;
	p->start = p->end = from;
	scan(t, p, end_of(t, part));
}

/* Each part must start where the one before has ended. */
static void join_parts(struct tallies *t)
{
	for (t->joined_nr = 1; t->joined_nr < t->parts_nr; t->joined_nr++) {
		const struct part *last = &t->parts[t->joined_nr - 1];
		if (last->has_stopped)
			return;
		if (t->parts[t->joined_nr].start != last->end)
			scan_again(t, t->joined_nr, last->end);
	}
}

struct tallies *tally_scan(struct resolver *r, const struct reader_span *span, unsigned threads)
{
	struct tallies *t = xcalloc(1, sizeof(*t));
	*t = (struct tallies){ .r = r, .span = span, .parts_nr = threads, .part_bytes = span->bytes / threads & ~7ull };
	t->parts = xcalloc_apart(threads, sizeof(*t->parts));
	pool_run(threads, threads, scan_part, t);
	join_parts(t);
	return t;
}

void tally_destroy(struct tallies *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->parts_nr; i++) {
		idset_deinit(&t->parts[i].index);
		vec_deinit(&t->parts[i].tallies);
		vec_deinit(&t->parts[i].others);
		vec_deinit(&t->parts[i].single);
	}
	free(t->parts);
	free(t);
}

/* ---- what was scanned ---- */

static struct record record_of(const struct tallies *t, uint64_t at)
{
	return (struct record){ .hdr = header_at(t->span, at), .file_offset = t->span->file_offset + at };
}

uint64_t tally_apply(struct tallies *t, struct walk *w)
{
	struct resolver *r = t->r;
	for (unsigned i = 0; i < t->joined_nr; i++) {
		const struct part *p = &t->parts[i];
		for (size_t k = 0; k < p->others.len; k++) {
			struct record rec = record_of(t, p->others.data[k]);
			uint64_t next = p->others.data[k] + rec.hdr->size;
			if (rec.hdr->type >= RECORD_USER_FIRST)
				(void)reader_span_user(r->source, t->span, &next, rec);
			resolver_side_band(r, rec, walk_time(r, rec, p->others.data[k] + 1), true);
		}
		w->records += p->records;
		r->stats.records[PERF_RECORD_SAMPLE] += p->samples;
	}
	return t->parts[t->joined_nr - 1].end;
}

/* ---- counts ---- */

unsigned tally_parts(const struct tallies *t)
{
	return t->joined_nr + 1;
}

/* False: at its last sample its thread may have another name, or other maps. */
static bool count_tally(struct worker *w, const struct tally *t)
{
	const struct sample_hot hot = {
		.ip = t->ip, .time = t->first_ns, .period = t->period, .pid = (uint32_t)t->thread, .tid = (uint32_t)(t->thread >> 32),
		.cpu = SAMPLE_NO_CPU, .misc = (uint16_t)t->kind,
	};
	if (t->last_ns >= step_thread(&w->step, hot.pid, hot.tid, hot.time)->view.until_ns)
		return false;
	worker_counted(w, &hot, t->kind >> 16, t->samples, t->place + 1);
	w->step.last_ns = t->last_ns > w->step.last_ns ? t->last_ns : w->step.last_ns;
	return true;
}

static void read_singles(const struct tallies *t, const struct part *p, struct worker *w)
{
	for (size_t i = 0; i < p->single.len; i++)
		worker_sample(w, record_of(t, p->single.data[i]), p->single.data[i] + 1);
}

static bool is_single(const struct tallies *t, const struct part *p, struct record rec)
{
	struct tally key;
	if (!key_of(t->r->env, rec, &key))
		return true;
	const struct tally *found = find_tally(p, &key, hash_of(&key));
	return !found || found->is_split;
}

static void read_again(const struct tallies *t, const struct part *p, struct worker *w)
{
	for (uint64_t at = p->start; at < p->end; at += header_at(t->span, at)->size) {
		struct record rec = record_of(t, at);
		if (rec.hdr->type == PERF_RECORD_SAMPLE && is_single(t, p, rec))
			worker_sample(w, rec, at + 1);
	}
}

/* A worker must meet samples in order of place: the first one has tallies only. */
static void finish_part(void *ctx, size_t i, unsigned thread)
{
	const struct tallies *t = ctx;
	const struct part *p = &t->parts[i];
	struct worker *w = &t->workers[i + 1];
	(void)thread;
	if (p->has_split)
		read_again(t, p, w);
	else
		read_singles(t, p, w);
	worker_flush(w);
}

void tally_count(struct tallies *t, struct worker *workers)
{
	t->workers = workers;
	for (unsigned i = 0; i < t->joined_nr; i++) {
		struct part *p = &t->parts[i];
		for (size_t k = 0; k < p->tallies.len; k++) {
			p->tallies.data[k].is_split = !count_tally(&workers[0], &p->tallies.data[k]);
			p->has_split |= p->tallies.data[k].is_split;
		}
	}
	pool_run(t->joined_nr, t->joined_nr, finish_part, t);
}
