#include "record/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vector.h"

/*
 * Held records are stored as runs: adjacent in memory with ascending times, so that only the ends are stored. A ring is
 * read in long runs: a round takes some hundred bytes and not an entry per record. Runs are merged on delivery: started
 * ones are in a heap by the time of their next record, the others are sorted by their first.
 *
 * Copies of an unstable input alternate between two arenas: at the end of a round all records of the round before have been
 * delivered, so that its arena can be reused.
 */
/* The maximum size of a hostile or endless round before it is delivered early. */
#define HELD_BYTES_MAX (1ull << 30)
/* A record that is further ahead of all others is suspicious: no round takes as long. */
#define DISTANT_NS (600ull * 1000000000)
/* The number of rounds after which no record is that much earlier than a correct time; after one more the time counts as correct. */
#define CONTRADICTED_ROUNDS 2

struct run {
	const char *at, *end;  /* the next record to deliver, and the end */
	uint64_t offset;       /* of `at` in the input */
	bool still;            /* all have this offset: they are from one compressed record */
	uint64_t at_ns, last_ns;
};

/*
 * A record far ahead of all others: the clock jumped, nothing happened for long, or its time is damaged, which later records will show.
 * Until then it must not count as the newest one, or else all later records would be late.
 */
struct distant {
	struct record record;
	uint64_t time_ns;
	unsigned rounds; /* that have ended since */
};

struct order {
	struct record_source source;
	struct record_source *input;
	VEC(struct run) runs;          /* in the order of arrival */
	VEC(struct sort_pair) starts;  /* (time, index) of the runs that may be given, sorted; from start_at on not begun */
	size_t start_at;
	VEC(struct sort_pair) heap;    /* of those that have begun */
	bool giving;
	struct arena copies[2];
	unsigned copies_now;
	VEC(struct distant) distant;   /* in the order of arrival */
	struct arena distant_copies;
	uint64_t newest_ns, limit_ns, given_ns, held_bytes, late, misdated;
	uint64_t flush_ns;             /* limit of the records being delivered */
	bool any_given, round_over, ended, releases;
	struct strobe_error *error; /* of the input, kept until all complete records have been delivered */
};

static struct order *of(struct record_source *s)
{
	return (struct order *)s;
}

/* By time; the run that arrived first wins ties. */
static bool is_before(struct sort_pair a, struct sort_pair b)
{
	return a.key < b.key || (a.key == b.key && a.value < b.value);
}

/* Puts p where the top of the heap was and lets it sink to its place. */
static void heap_replace_top(struct order *o, struct sort_pair p)
{
	struct sort_pair *h = o->heap.data;
	size_t n = o->heap.len, i = 0;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && is_before(h[child + 1], h[child]);
		if (!is_before(h[child], p))
			break;
		h[i] = h[child];
	}
	h[i] = p;
}

static void heap_push(struct order *o, struct sort_pair p)
{
	vec_push(&o->heap, p);
	struct sort_pair *h = o->heap.data;
	size_t i = o->heap.len - 1;
	for (; i && is_before(p, h[(i - 1) / 2]); i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = p;
}

static void heap_pop(struct order *o)
{
	struct sort_pair last = o->heap.data[--o->heap.len];
	if (o->heap.len)
		heap_replace_top(o, last);
}

/* All that may be given has been. What remains moves to the front. */
static void compact(struct order *o)
{
	if (o->round_over) {
		o->round_over = false;
		o->copies_now ^= 1;
		arena_reset(&o->copies[o->copies_now]);
	}
	size_t kept = 0;
	uint64_t first_held = UINT64_MAX, last_given = 0; /* places in the input */
	for (size_t i = 0; i < o->runs.len; i++) {
		const struct run *run = &o->runs.data[i];
		if (run->at < run->end) {
			first_held = run->offset < first_held ? run->offset : first_held;
			o->runs.data[kept++] = *run;
		} else {
			last_given = run->offset > last_given ? run->offset : last_given;
		}
	}
	o->runs.len = kept;
	for (size_t i = 0; i < o->distant.len; i++) {
		uint64_t offset = o->distant.data[i].record.file_offset;
		first_held = offset < first_held ? offset : first_held;
	}
	o->giving = false;
	if (o->releases && o->input->ops->release)
		o->input->ops->release(o->input, first_held < last_given ? first_held : last_given);
}

static void flush(struct order *o, uint64_t limit_ns)
{
	vec_clear(&o->starts);
	vec_clear(&o->heap);
	for (size_t i = 0; i < o->runs.len; i++)
		if (o->runs.data[i].at_ns <= limit_ns)
			vec_push(&o->starts, ((struct sort_pair){ o->runs.data[i].at_ns, i }));
	sort_pairs(o->starts.data, o->starts.len);
	o->start_at = 0;
	o->flush_ns = limit_ns;
	o->held_bytes = 0;
	o->giving = true;
}

/* Takes the next records off their run; false: the run is exhausted, at least for now. */
static bool step(const struct order *o, const struct env *env, struct run *run, size_t bytes)
{
	run->offset += run->still ? 0 : bytes;
	run->at += bytes;
	record_prefetch(run->at);
	if (run->at >= run->end)
		return false;
	struct record next = { (const void *)run->at, run->offset };
	/* Checked again, for the file may have been written to since. */
	if (run->end - run->at < (ptrdiff_t)sizeof(*next.hdr) || next.hdr->size < sizeof(*next.hdr) ||
	    next.hdr->size > run->end - run->at || !env_record_time(env, next, &run->at_ns)) {
		run->at = run->end;
		return false;
	}
	return run->at_ns <= o->flush_ns;
}

/* The run with the next record in order of time; NULL: nothing may be delivered yet. */
static struct run *next_run(struct order *o)
{
	while (o->start_at < o->starts.len &&
	       (!o->heap.len || is_before(o->starts.data[o->start_at], o->heap.data[0])))
		heap_push(o, o->starts.data[o->start_at++]);
	return o->heap.len ? &o->runs.data[o->heap.data[0].value] : NULL;
}

/* So many bytes of the next run have been given, the last record at this time. */
static void give(struct order *o, const struct env *env, size_t bytes, uint64_t last_ns)
{
	size_t index = o->heap.data[0].value;
	struct run *run = &o->runs.data[index];
	o->given_ns = last_ns;
	o->any_given = true;
	if (step(o, env, run, bytes))
		heap_replace_top(o, (struct sort_pair){ run->at_ns, index });
	else
		heap_pop(o);
}

/* Up to which time the run on top of the heap is before another. */
static uint64_t before(uint64_t limit_ns, struct sort_pair top, struct sort_pair other)
{
	uint64_t last_ns = other.key - (other.value < top.value);
	return last_ns < limit_ns ? last_ns : limit_ns;
}

static bool order_window(struct record_source *s, struct record_window *ret)
{
	struct order *o = of(s);
	const struct run *run = o->giving ? next_run(o) : NULL;

	if (!run)
		return false;
	struct sort_pair top = o->heap.data[0];
	*ret = (struct record_window){ .at = run->at, .end = run->end, .file_offset = run->offset, .limit_ns = o->flush_ns };
	for (size_t i = 1; i < 3 && i < o->heap.len; i++)
		ret->limit_ns = before(ret->limit_ns, top, o->heap.data[i]);
	if (o->start_at < o->starts.len)
		ret->limit_ns = before(ret->limit_ns, top, o->starts.data[o->start_at]);
	return true;
}

static void order_take(struct record_source *s, size_t bytes, uint64_t records, uint64_t last_ns)
{
	struct order *o = of(s);

	if (records)
		give(o, source_env(o->input), bytes, last_ns);
}

/* Whether a record after the run's last one has the place in the input that one of the run would have. */
static bool offset_fits(struct run *run, uint64_t offset)
{
	size_t bytes = (size_t)(run->end - run->at);
	if (!run->still && run->offset + bytes == offset)
		return true;
	bool single = bytes == ((const struct perf_event_header *)run->at)->size;
	run->still |= single && run->offset == offset;
	return run->still && run->offset == offset;
}

static void hold(struct order *o, struct record r, uint64_t time, bool stable)
{
	if (!stable) {
		r.hdr = arena_memdup(&o->copies[o->copies_now], r.hdr, r.hdr->size);
		o->held_bytes += r.hdr->size;
	}
	const char *p = (const char *)r.hdr, *end = p + r.hdr->size;
	struct run *last = o->runs.len ? &vec_last(&o->runs) : NULL;
	if (last && last->end == p && time >= last->last_ns && offset_fits(last, r.file_offset)) {
		last->end = end;
		last->last_ns = time;
	} else {
		vec_push(&o->runs, ((struct run){ .at = p, .end = end, .offset = r.file_offset, .at_ns = time, .last_ns = time }));
	}
	if (time > o->newest_ns)
		o->newest_ns = time;
}

static bool is_distant(const struct order *o, uint64_t time)
{
	return time > o->newest_ns && time - o->newest_ns > DISTANT_NS;
}

static void hold_distant(struct order *o, struct record r, uint64_t time, bool stable)
{
	if (!stable) {
		r.hdr = arena_memdup(&o->distant_copies, r.hdr, r.hdr->size);
		o->held_bytes += r.hdr->size;
	}
	vec_push(&o->distant, ((struct distant){ .record = r, .time_ns = time }));
}

/* Two neighbours that agree are a clock that jumped. */
static void confirm_distant(struct order *o, uint64_t time, bool stable)
{
	struct distant *last = o->distant.len ? &vec_last(&o->distant) : NULL;
	uint64_t apart = !last ? UINT64_MAX : time > last->time_ns ? time - last->time_ns : last->time_ns - time;
	if (apart > DISTANT_NS)
		return;
	hold(o, last->record, last->time_ns, stable);
	o->distant.len--;
}

/* Moves distant records that others have caught up with, or of this age in rounds, to the held ones; rounds 0: all. */
static void settle_distant(struct order *o, unsigned rounds)
{
	size_t kept = 0, n = o->distant.len;
	for (size_t i = 0; i < n; i++) {
		struct distant d = o->distant.data[i];
		if (d.rounds < rounds && is_distant(o, d.time_ns))
			o->distant.data[kept++] = d;
		else
			hold(o, d.record, d.time_ns, source_is_stable(o->input));
	}
	o->distant.len = kept;
	if (n && !kept)
		arena_reset(&o->distant_copies);
}

/* A record of an earlier time has come so much later that one of them is wrong: all others are with it. */
static void contradict_distant(struct order *o)
{
	size_t kept = 0;
	settle_distant(o, UINT_MAX);
	for (size_t i = 0; i < o->distant.len; i++)
		if (o->distant.data[i].rounds < CONTRADICTED_ROUNDS)
			o->distant.data[kept++] = o->distant.data[i];
	o->misdated += o->distant.len - kept;
	o->distant.len = kept;
}

static void finish_round(struct order *o)
{
	for (size_t i = 0; i < o->distant.len; i++)
		o->distant.data[i].rounds++;
	settle_distant(o, CONTRADICTED_ROUNDS + 1);
	flush(o, o->limit_ns);
	o->limit_ns = o->newest_ns;
	o->round_over = true; /* copies of the round before are free once the ready ones are given */
}

static void flush_all(struct order *o)
{
	settle_distant(o, 0);
	flush(o, UINT64_MAX);
}

/* Goes on with the run of the record held last for as long as others follow it, in memory and in time: without a call for each. */
static void hold_followers(struct order *o, const struct env *env)
{
	const struct record_source_ops *input = o->input->ops;
	struct run *run = &vec_last(&o->runs);
	struct record_window w;
	uint64_t records = 0, time;

	if (!input->window || !input->window(o->input, &w) || run->end != w.at || !offset_fits(run, w.file_offset) || run->still)
		return;
	const char *at = w.at;
	for (; w.end - at >= (ptrdiff_t)sizeof(struct perf_event_header); records++) {
		struct record r = { .hdr = (const void *)at };
		record_prefetch(at);
		if (!record_is_whole(r.hdr, (size_t)(w.end - at)) || !env_record_time(env, r, &time))
			break;
		if (time < run->last_ns || time - run->last_ns > DISTANT_NS)
			break;
		run->last_ns = time;
		at += r.hdr->size;
	}
	run->end = at;
	o->newest_ns = run->last_ns > o->newest_ns ? run->last_ns : o->newest_ns;
	input->take(o->input, (size_t)(at - w.at), records, run->last_ns);
}

/* Takes a record with a time that is not too late. */
static void take(struct order *o, const struct env *env, struct record r, uint64_t time)
{
	bool stable = source_is_stable(o->input);
	if (is_distant(o, time))
		confirm_distant(o, time, stable);
	if (is_distant(o, time)) {
		hold_distant(o, r, time, stable);
	} else {
		hold(o, r, time, stable);
		if (o->distant.len && o->distant.data[0].rounds >= CONTRADICTED_ROUNDS)
			contradict_distant(o);
		else
			hold_followers(o, env);
	}
}

static struct strobe_error *order_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct order *o = of(s);
	const struct env *env = source_env(o->input);

	*ret_end = false;
	for (;;) {
		if (o->giving) {
			struct run *run = next_run(o);
			if (run) {
				*ret = (struct record){ (const void *)run->at, run->offset };
				give(o, env, ret->hdr->size, run->at_ns);
				return NULL;
			}
			compact(o);
		}
		if (o->ended) {
			*ret_end = !o->error;
			return take_ptr(o->error);
		}
		struct record r;
		bool end;
		struct strobe_error *err = source_next(o->input, &r, &end);
		if (err || end) {
			flush_all(o);
			o->ended = true;
			o->error = err;
			continue;
		}
		uint64_t time;
		if (!env_record_time(env, r, &time) || !time || time == UINT64_MAX) {
			if (r.hdr->type == RECORD_FINISHED_ROUND)
				finish_round(o);
			*ret = r;
			return NULL;
		}
		if (o->any_given && time < o->given_ns) {
			o->late++;
			*ret = r;
			return NULL;
		}
		take(o, env, r, time);
		if (o->held_bytes > HELD_BYTES_MAX) {
			log_warn("more than %llu MB of records between two rounds: their order in time is not certain",
				 HELD_BYTES_MAX >> 20);
			flush_all(o);
		}
	}
}

static const struct env *order_env(struct record_source *s)
{
	return source_env(of(s)->input);
}

static void order_reset(struct order *o)
{
	vec_clear(&o->runs);
	vec_clear(&o->starts);
	vec_clear(&o->heap);
	arena_reset(&o->copies[0]);
	arena_reset(&o->copies[1]);
	vec_clear(&o->distant);
	arena_reset(&o->distant_copies);
	o->giving = false;
	o->newest_ns = o->limit_ns = o->given_ns = o->held_bytes = o->late = o->misdated = 0;
	o->any_given = o->round_over = o->ended = false;
	error_destroy(o->error);
	o->error = NULL;
}

static struct strobe_error *order_rewind(struct record_source *s)
{
	struct order *o = of(s);

	if (!o->input->ops->rewind)
		return error_create(ERROR_UNSUPPORTED, "a stream can be read only once");
	TRY(o->input->ops->rewind(o->input));
	order_reset(o);
	return NULL;
}

static bool order_stable(struct record_source *s)
{
	return source_is_stable(of(s)->input);
}

static void order_destroy(struct record_source *s)
{
	struct order *o = of(s);

	source_destroy(o->input);
	error_destroy(o->error);
	vec_deinit(&o->runs);
	vec_deinit(&o->starts);
	vec_deinit(&o->heap);
	arena_deinit(&o->copies[0]);
	arena_deinit(&o->copies[1]);
	vec_deinit(&o->distant);
	arena_deinit(&o->distant_copies);
	free(o);
}

static const struct record_source_ops ops = {
	.next = order_next,
	.env = order_env,
	.rewind = order_rewind,
	.stable = order_stable,
	.window = order_window,
	.take = order_take,
	.destroy = order_destroy,
};

struct record_source *order_create(struct record_source *input)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->source.ops = &ops;
	o->input = input;
	arena_init(&o->copies[0]);
	arena_init(&o->copies[1]);
	arena_init(&o->distant_copies);
	return &o->source;
}

void order_release_given(struct record_source *order)
{
	of(order)->releases = true;
}

uint64_t order_late(const struct record_source *order)
{
	return ((const struct order *)order)->late;
}

uint64_t order_misdated(const struct record_source *order)
{
	return ((const struct order *)order)->misdated;
}
